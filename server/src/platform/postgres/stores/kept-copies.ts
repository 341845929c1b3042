import type { Clock } from '../../../kernel/clock.ts';
import { sizedCache } from '../../caches/index.ts';
import { outageOf } from '../connections/failures.ts';
import type { CacheKey } from './authorisation-cache.ts';

export interface KeptCopiesOptions<Value> {
  readonly clock: Clock;
  /** Reads a value that is at most one second old, or fails. */
  readonly load: (key: CacheKey) => Promise<Value | null>;
  readonly bytesOf: (value: Value) => number;
  readonly orgOf?: (value: Value) => string;
}

/** Copies of values, for use during an outage of the database. */
export interface KeptCopies<Value> {
  /** Loads the value or, while the database is unavailable, returns a copy that is less than ten minutes old. */
  read(key: CacheKey): Promise<Value | null>;
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
  readonly readAt: number;
  readonly orgId: string | null;
}

const nameOf = (key: CacheKey): string => [key.orgId ?? '', key.kind, key.id].join('\0');

export function createKeptCopies<Value>({ bytesOf, clock, load, orgOf }: KeptCopiesOptions<Value>): KeptCopies<Value> {
  const copies = sizedCache<Copy<Value>>(MAXIMUM_BYTES, ({ value }) => Math.max(LEAST_BYTES, bytesOf(value)));
  let generation = 0;
  const ageOf = ({ readAt }: Copy<Value>): number => clock.now().getTime() - readAt;

  async function readAndKeep(key: CacheKey): Promise<Value | null> {
    const name = nameOf(key);
    try {
      for (let tries = 1; ; tries += 1) {
        const begun = generation;
        const readAt = clock.now().getTime();
        const value = await load(key);
        // If anything changed during the read, the value may be outdated. The read itself may have caused the
        // change, so the number of attempts is limited.
        if (begun !== generation && tries < MAXIMUM_READS) continue;
        if (value === null) copies.delete(name);
        else if (begun === generation) {
          copies.set(name, { key, value, readAt, orgId: orgOf === undefined ? key.orgId : orgOf(value) });
        }
        return value;
      }
    } catch (error) {
      if (outageOf(error) === null) copies.delete(name);
      throw error;
    }
  }

  async function readAnew(keys: readonly CacheKey[]): Promise<void> {
    // If a copy cannot be loaded again at once, it stays dropped.
    for (const key of keys) await readAndKeep(key).catch(() => undefined);
  }

  return {
    async read(key) {
      try {
        return await readAndKeep(key);
      } catch (error) {
        const copy = copies.get(nameOf(key));
        if (outageOf(error) === null || copy === undefined) throw error;
        const age = ageOf(copy);
        // Setting the clock back must not make an old copy valid again.
        if (age < 0 || age >= LONGEST_KEPT_MILLISECONDS) throw error;
        return copy.value;
      }
    },
    drop(orgId) {
      generation += 1;
      const dropped = [...copies.entries()].filter(([, copy]) => copy.orgId === orgId);
      for (const [name] of dropped) copies.delete(name);
      void readAnew(dropped.map(([, { key }]) => key));
    },
    async refresh() {
      // The most recently used copy is read last, so that the order of use stays the same.
      const all = [...copies.rvalues()];
      for (const copy of all) {
        if (copy !== undefined && Math.abs(ageOf(copy)) >= REFRESH_MILLISECONDS) await readAndKeep(copy.key);
      }
    },
  };
}
