import type { Clock } from '../../../kernel/clock.ts';
import { boundedCache } from '../../caches/index.ts';

export interface CacheKey {
  /** Null means that the org is looked up by its host. `orgOf` then returns the org of the value. */
  readonly orgId: string | null;
  readonly kind: string;
  readonly id: string;
}

export interface AuthorisationCacheOptions<Value> {
  readonly clock: Clock;
  /** Loads a value. It must read from the primary. */
  readonly load: (key: CacheKey) => Promise<Value>;
  readonly maximumEntries?: number;
  /** Returns the org of a value, by default the key's. Returns null if any change may concern the value. */
  readonly orgOf?: (value: Value) => string | null;
}

export interface AuthorisationCache<Value> {
  /** Returns a cached value itself, not a promise: most requests need several, and each promise would cost time. */
  get(key: CacheKey): Value | Promise<Value>;
  /** This is called after a change to the org may have committed. The cache then serves no older values of the org. */
  drop(orgId: string): void;
}

/** The lifetime of an entry, from the start of its load. Revocations in other processes take effect by its end. */
export const MAXIMUM_AGE_MILLISECONDS = 1_000;

const MAXIMUM_ENTRIES = 10_000;

interface Entry<Value> {
  readonly value: Value;
  readonly startedAt: number;
  readonly orgId: string | null;
}

interface Load<Value> {
  readonly value: Promise<Value>;
  readonly startedAt: number;
}

const nameOf = ({ id, kind, orgId }: CacheKey): string => `${orgId ?? ''}\0${kind}\0${id}`;

/** `null` is cached like any other value. */
export function createAuthorisationCache<Value>(options: AuthorisationCacheOptions<Value>): AuthorisationCache<Value> {
  const { clock, load, orgOf } = options;
  const entries = boundedCache<string, Entry<Value>>(options.maximumEntries ?? MAXIMUM_ENTRIES);
  const loads = new Map<string, Load<Value>>();
  let generation = 0;

  /** If a value seems to come from the future, the clock was set back, so the value's age is unknown. */
  const isYoung = (startedAt: number, now: number): boolean =>
    now >= startedAt && now - startedAt < MAXIMUM_AGE_MILLISECONDS;

  async function loadAndKeep(key: CacheKey, name: string, startedAt: number): Promise<Value> {
    const begun = generation;
    const value = await load(key);
    // If anything changed during the load, the value may be outdated, so it is not cached.
    if (begun === generation) {
      entries.set(name, { value, startedAt, orgId: orgOf === undefined ? key.orgId : orgOf(value) });
    }
    return value;
  }

  return {
    get(key) {
      const name = nameOf(key);
      const now = clock.now().getTime();
      const entry = entries.get(name);
      if (entry !== undefined && isYoung(entry.startedAt, now)) return entry.value;
      const running = loads.get(name);
      if (running !== undefined && isYoung(running.startedAt, now)) return running.value;
      const started: Load<Value> = {
        startedAt: now,
        value: loadAndKeep(key, name, now).finally(() => {
          if (loads.get(name) === started) loads.delete(name);
        }),
      };
      loads.set(name, started);
      return started.value;
    },
    drop(orgId) {
      generation += 1;
      loads.clear();
      for (const [name, entry] of entries.entries()) {
        if (entry.orgId === null || entry.orgId === orgId) entries.delete(name);
      }
    },
  };
}
