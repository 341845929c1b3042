import { LRUCache } from 'lru-cache';

/** Keeps the entries that were used last. */
export type BoundedCache<Key extends {}, Value extends {}> = LRUCache<Key, Value>;

/**
 * A cache of at most so many entries; those unused for longest go first. It takes memory as it fills: told of a `max`,
 * lru-cache would take all of it at once, tens of megabytes and a tenth of a second a process for what most orgs never
 * fill.
 */
export const boundedCache = <Key extends {}, Value extends {}>(maximumEntries: number): BoundedCache<Key, Value> =>
  new LRUCache<Key, Value>({ maxSize: maximumEntries, sizeCalculation: () => 1 });
