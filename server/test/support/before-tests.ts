import { afterAll, beforeAll } from 'vitest';

/** Can be closed once no test needs it any more. */
interface Closable {
  close(): unknown;
}

const isClosable = (made: object): made is Closable => 'close' in made && typeof made.close === 'function';

/** Methods of classes are bound to their object, whose private members they may read. */
function readFrom(made: object, key: PropertyKey): unknown {
  const value: unknown = Reflect.get(made, key);
  const isOfClass = Object.getPrototypeOf(made) !== Object.prototype;
  return isOfClass && typeof value === 'function' ? value.bind(made) : value;
}

/**
 * Makes something once, before the tests of the file or `describe` that calls it, and closes it after them. The
 * returned object can be passed on at once, to other hooks too, but has no readable members before its hook has run.
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
