import { LRUCache } from 'lru-cache';

/** Keeps the entries that were used last. */
export type BoundedCache<Key extends {}, Value extends {}> = LRUCache<Key, Value>;

/**
 * A cache with a maximum number of entries; the least recently used ones go first. Memory grows as the cache fills.
 * With a `max`, lru-cache would allocate everything at once: tens of megabytes and a tenth of a second per process, for
 * entries that most orgs never have.
 */
export const boundedCache = <Key extends {}, Value extends {}>(maximumEntries: number): BoundedCache<Key, Value> =>
  new LRUCache<Key, Value>({ maxSize: maximumEntries, sizeCalculation: () => 1 });

/**
 * A cache for values derived from texts that clients chose, whose sizes differ. It is bounded by the sum of the sizes,
 * in a unit that the caller chooses, plus the length of each key. A value larger than the whole cache is not kept.
 */
export const sizedCache = <Value extends {}>(
  maximumSize: number,
  sizeOf: (value: Value) => number,
): BoundedCache<string, Value> =>
  new LRUCache<string, Value>({
    maxSize: maximumSize,
    sizeCalculation: (value, key) => Math.ceil(1 + key.length + sizeOf(value)),
  });
