import { afterAll, beforeAll } from 'vitest';

interface Closable {
  close(): unknown;
}

const isClosable = (made: object): made is Closable => 'close' in made && typeof made.close === 'function';

/** Reads a member. Binds a method to its object, because the method may read the object's private members. */
function readFrom(made: object, key: PropertyKey): unknown {
  const value: unknown = Reflect.get(made, key);
  const isOfClass = Object.getPrototypeOf(made) !== Object.prototype;
  return isOfClass && typeof value === 'function' ? value.bind(made) : value;
}

/**
 * Makes an object once, before the tests of the file or `describe` that calls this function, and closes it after them.
 * The members of the object can be read only after the hook has run.
 */
export function beforeTests<T extends object>(make: () => T | Promise<T>): T {
  let made: T | undefined;
  const get = (): T => {
    if (made === undefined) throw new Error('this is made by a hook that has not run yet');
    return made;
  };
  beforeAll(async () => {
    made = await make();
  });
  afterAll(async () => {
    if (made !== undefined && isClosable(made)) await made.close();
  });
  return new Proxy({} as T, {
    get: (_, key) => readFrom(get(), key),
    set: (_, key, value) => Reflect.set(get(), key, value),
    has: (_, key) => Reflect.has(get(), key),
    ownKeys: () => Reflect.ownKeys(get()),
    getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(get(), key),
  });
}
