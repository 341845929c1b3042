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

/**
 * A cache of what was made of others' texts, whose entries differ in what they take: bounded by their sizes together,
 * in a unit of the caller, to which the length of the key is added. What is larger than all of it is not kept.
 */
export const sizedCache = <Value extends {}>(
  maximumSize: number,
  sizeOf: (value: Value) => number,
): BoundedCache<string, Value> =>
  new LRUCache<string, Value>({
    maxSize: maximumSize,
    sizeCalculation: (value, key) => Math.ceil(1 + key.length + sizeOf(value)),
  });
