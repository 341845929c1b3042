import { LRUCache } from 'lru-cache';

export type BoundedCache<Key extends {}, Value extends {}> = LRUCache<Key, Value>;

/**
 * Creates a cache that drops its least recently used entries. The `max` option of lru-cache would allocate all memory
 * at the start.
 */
export const boundedCache = <Key extends {}, Value extends {}>(maximumEntries: number): BoundedCache<Key, Value> =>
  new LRUCache<Key, Value>({ maxSize: maximumEntries, sizeCalculation: () => 1 });

/**
 * Creates a cache that limits the sum of the sizes of its values and the lengths of its keys. It does not keep a value
 * above the limit.
 */
export const sizedCache = <Value extends {}>(
  maximumSize: number,
  sizeOf: (value: Value) => number,
): BoundedCache<string, Value> =>
  new LRUCache<string, Value>({
    maxSize: maximumSize,
    sizeCalculation: (value, key) => Math.ceil(1 + key.length + sizeOf(value)),
  });
