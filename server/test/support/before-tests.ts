import { afterAll, beforeAll } from 'vitest';

interface Closable {
  close(): unknown;
}

const isClosable = (made: object): made is Closable => 'close' in made && typeof made.close === 'function';

/** Reads a member. Binds methods of class instances, because a method cannot read private members through a proxy. */
function readFrom(made: object, key: PropertyKey): unknown {
  const value: unknown = Reflect.get(made, key);
  const isOfClass = Object.getPrototypeOf(made) !== Object.prototype;
  return isOfClass && typeof value === 'function' ? value.bind(made) : value;
}

/**
 * Makes an object before the tests of the calling file or `describe`, and closes it after them if it has a method
 * `close`. Returns a proxy that throws if it is used before the object exists.
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
