import { LRUCache } from 'lru-cache';

/** A cache that keeps the entries that were used last. */
export type BoundedCache<Key extends {}, Value extends {}> = LRUCache<Key, Value>;

/**
 * Creates a cache with a maximum number of entries; the least recently used entries go first. Memory grows as the cache
 * fills. The `max` option of lru-cache would allocate everything at once: tens of megabytes and 0.1 s per process, for
 * entries that most orgs never have.
 */
export const boundedCache = <Key extends {}, Value extends {}>(maximumEntries: number): BoundedCache<Key, Value> =>
  new LRUCache<Key, Value>({ maxSize: maximumEntries, sizeCalculation: () => 1 });

/**
 * Creates a cache for values derived from texts that clients chose. The sizes of such values differ, so the limit
 * applies to the sum of the sizes, in a unit that the caller chooses, and of the lengths of the keys. A value larger
 * than the whole cache is not kept.
 */
export const sizedCache = <Value extends {}>(
  maximumSize: number,
  sizeOf: (value: Value) => number,
): BoundedCache<string, Value> =>
  new LRUCache<string, Value>({
    maxSize: maximumSize,
    sizeCalculation: (value, key) => Math.ceil(1 + key.length + sizeOf(value)),
  });
