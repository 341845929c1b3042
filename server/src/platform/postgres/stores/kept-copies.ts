import type { Clock } from '../../../kernel/clock.ts';
import { sizedCache } from '../../caches/index.ts';
import { outageOf } from '../connections/failures.ts';
import type { CacheKey } from './authorisation-cache.ts';

export interface KeptCopiesOptions<Value> {
  readonly clock: Clock;
  /** Reads a value that is at most one second old, or fails. */
  readonly load: (key: CacheKey) => Value | null | Promise<Value | null>;
  readonly bytesOf: (value: Value) => number;
  readonly orgOf?: (value: Value) => string;
}

/** Copies of values, for use during an outage of the database. */
export interface KeptCopies<Value> {
  /** Loads the value or, while the database is unavailable, returns a copy that is less than ten minutes old. */
  read(key: CacheKey): Value | null | Promise<Value | null>;
  /**
   * This is called after a change may have committed. Drops the org's copies, and loads them again in the background.
   */
  drop(orgId: string): void;
  /** Reloads copies that are at least a minute old, so that they are recent when an outage begins. */
  refresh(): Promise<void>;
}

export const LONGEST_KEPT_MILLISECONDS = 10 * 60_000;
const REFRESH_MILLISECONDS = 60_000;
const MAXIMUM_READS = 3;

const MAXIMUM_BYTES = 4_000_000;
/** The smallest size that is counted for a copy. It limits the number of copies. */
const LEAST_BYTES = 2_000;

interface Copy<Value> {
  readonly key: CacheKey;
  readonly value: Value;
  readAt: number;
  readonly orgId: string | null;
}

/** A load that has started. */
interface Reading<Value> {
  readonly generation: number;
  readonly readAt: number;
  readonly value: Value | null | Promise<Value | null>;
}

const nameOf = ({ id, kind, orgId }: CacheKey): string => `${orgId ?? ''}\0${kind}\0${id}`;

export function createKeptCopies<Value>({ bytesOf, clock, load, orgOf }: KeptCopiesOptions<Value>): KeptCopies<Value> {
  const copies = sizedCache<Copy<Value>>(MAXIMUM_BYTES, ({ value }) => Math.max(LEAST_BYTES, bytesOf(value)));
  let generation = 0;
  const ageOf = ({ readAt }: Copy<Value>): number => clock.now().getTime() - readAt;

  /** If the value is already kept, only its time changes, because measuring it takes longer than reading it. */
  function keep(name: string, key: CacheKey, value: Value | null, readAt: number): void {
    const known = copies.get(name);
    if (value === null) copies.delete(name);
    else if (known?.value === value) known.readAt = readAt;
    else copies.set(name, { key, value, readAt, orgId: orgOf === undefined ? key.orgId : orgOf(value) });
  }

  const begin = (key: CacheKey): Reading<Value> => ({
    generation,
    readAt: clock.now().getTime(),
    value: load(key),
  });

  async function readAndKeep(key: CacheKey, first: Reading<Value>): Promise<Value | null> {
    const name = nameOf(key);
    try {
      for (let [reading, tries] = [first, 1]; ; [reading, tries] = [begin(key), tries + 1]) {
        const value = await reading.value;
        const isChanged = reading.generation !== generation;
        // If anything changed during the read, the value may be outdated. The read itself may have caused the
        // change, so the number of attempts is limited.
        if (isChanged && tries < MAXIMUM_READS) continue;
        if (value === null || !isChanged) keep(name, key, value, reading.readAt);
        return value;
      }
    } catch (error) {
      if (outageOf(error) === null) copies.delete(name);
      throw error;
    }
  }

  async function readOrCopy(key: CacheKey, first: Reading<Value>): Promise<Value | null> {
    try {
      return await readAndKeep(key, first);
    } catch (error) {
      const copy = copies.get(nameOf(key));
      if (outageOf(error) === null || copy === undefined) throw error;
      const age = ageOf(copy);
      // If the age is negative, the clock was set back, so the real age is unknown.
      if (age < 0 || age >= LONGEST_KEPT_MILLISECONDS) throw error;
      return copy.value;
    }
  }

  async function readAnew(keys: readonly CacheKey[]): Promise<void> {
    // If a copy cannot be loaded again at once, it stays dropped.
    for (const key of keys) await readAndKeep(key, begin(key)).catch(() => undefined);
  }

  return {
    read(key) {
      const first = begin(key);
      const { readAt, value } = first;
      if (value instanceof Promise || first.generation !== generation) return readOrCopy(key, first);
      keep(nameOf(key), key, value, readAt);
      return value;
    },
    drop(orgId) {
      generation += 1;
      const dropped = [...copies.entries()].filter(([, copy]) => copy.orgId === orgId);
      for (const [name] of dropped) copies.delete(name);
      void readAnew(dropped.map(([, { key }]) => key));
    },
    async refresh() {
      // The most recently used copy is read last, because the cache counts each of these reads as a use.
      const all = [...copies.rvalues()];
      for (const copy of all) {
        if (copy !== undefined && Math.abs(ageOf(copy)) >= REFRESH_MILLISECONDS)
          await readAndKeep(copy.key, begin(copy.key));
      }
    },
  };
}
