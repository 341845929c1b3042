import { LRUCache } from 'lru-cache';

export type BoundedCache<Key extends {}, Value extends {}> = LRUCache<Key, Value>;

/**
 * Creates a cache that drops its least recently used entries above the maximum. The `max` option of lru-cache would
 * allocate memory for all entries at the start.
 */
export const boundedCache = <Key extends {}, Value extends {}>(maximumEntries: number): BoundedCache<Key, Value> =>
  new LRUCache<Key, Value>({ maxSize: maximumEntries, sizeCalculation: () => 1 });

/**
 * Creates a cache that limits the total size of its entries. The length of a key counts towards the size of its entry.
 */
export const sizedCache = <Value extends {}>(
  maximumSize: number,
  sizeOf: (value: Value) => number,
): BoundedCache<string, Value> =>
  new LRUCache<string, Value>({
    maxSize: maximumSize,
    sizeCalculation: (value, key) => Math.ceil(1 + key.length + sizeOf(value)),
  });
