import { LRUCache } from 'lru-cache';

export type BoundedCache<Key extends {}, Value extends {}> = LRUCache<Key, Value>;

/** Creates a cache that drops its least recently used entries. The `max` of lru-cache would allocate memory at once. */
export const boundedCache = <Key extends {}, Value extends {}>(maximumEntries: number): BoundedCache<Key, Value> =>
  new LRUCache<Key, Value>({ maxSize: maximumEntries, sizeCalculation: () => 1 });

/** Creates a cache that limits the sum of the sizes and key lengths. It does not keep a value above the limit. */
export const sizedCache = <Value extends {}>(
  maximumSize: number,
  sizeOf: (value: Value) => number,
): BoundedCache<string, Value> =>
  new LRUCache<string, Value>({
    maxSize: maximumSize,
    sizeCalculation: (value, key) => Math.ceil(1 + key.length + sizeOf(value)),
  });
