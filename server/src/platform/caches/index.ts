import { LRUCache } from 'lru-cache';

export type BoundedCache<Key extends {}, Value extends {}> = LRUCache<Key, Value>;

/**
 * Creates a cache whose memory grows as it fills; the least recently used entries go first. The `max` option of
 * lru-cache would at once allocate tens of megabytes for entries that most installations never have.
 */
export const boundedCache = <Key extends {}, Value extends {}>(maximumEntries: number): BoundedCache<Key, Value> =>
  new LRUCache<Key, Value>({ maxSize: maximumEntries, sizeCalculation: () => 1 });

/**
 * Creates a cache for values derived from texts of clients, whose sizes differ. The limit applies to the sum of the
 * sizes, in the caller's unit, and of the key lengths. A value larger than the cache is not kept.
 */
export const sizedCache = <Value extends {}>(
  maximumSize: number,
  sizeOf: (value: Value) => number,
): BoundedCache<string, Value> =>
  new LRUCache<string, Value>({
    maxSize: maximumSize,
    sizeCalculation: (value, key) => Math.ceil(1 + key.length + sizeOf(value)),
  });
