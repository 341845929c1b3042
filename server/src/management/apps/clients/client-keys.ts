import type { Clock } from '../../../kernel/clock.ts';
import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import { sizedCache } from '../../../platform/caches/index.ts';
import { type Outbound, OutboundError } from '../../../platform/outbound/index.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { type PublicJwk, readRemoteJwks } from '../keys/jwk-rules.ts';
import { findKeySet, type StoredKeySet, storeKeySet } from './client-key-set-store.ts';

const MINUTE_MILLISECONDS = 60_000;
/** For so long a set is used without asking, and a key that is no longer in it is good. */
const FRESH_MILLISECONDS = 5 * MINUTE_MILLISECONDS;
/** For so long a set is used when its host can't be asked. */
const STALE_MILLISECONDS = 60 * MINUTE_MILLISECONDS;
/** Anybody can name an unknown key: that asks the host no more often than this. */
const REFRESH_MILLISECONDS = MINUTE_MILLISECONDS;
/** A host that failed is not asked again by every request that comes. */
const RETRY_MILLISECONDS = 10_000;

const LIMITS = { maximumBytes: 65_536, timeoutMilliseconds: 3_000 };
/** In characters: a set has up to 64 KB of them, so a number of sets would be no bound. */
const MAXIMUM_SIZE_OF_ATTEMPTS = 8_000_000;
const ATTEMPT_SIZE = 200;

export interface RemoteKeySetsPorts {
  readonly db: Db;
  readonly outbound: Pick<Outbound, 'getJson'>;
  readonly clock: Clock;
}

export interface RemoteKeySets {
  /**
   * Keys at a client's `jwks_uri`, at most 50; null: they can't be had. `refresh`: an assertion names one that was not
   * among them. Throws only when the database can't be asked.
   */
  keysOf(orgId: OrgId, appId: AppId, uri: string, refresh: boolean): Promise<readonly PublicJwk[] | null>;
}

/** The last time that this process asked for a set, and the asking itself while it lasts. */
interface Attempt {
  readonly at: number;
  readonly result: Promise<StoredKeySet | null>;
  /** This bounds what was learnt, in characters. */
  readonly size: number;
}

/** Reads the key sets of clients through the guard, and remembers them in the database. */
export function createRemoteKeySets({ clock, db, outbound }: RemoteKeySetsPorts): RemoteKeySets {
  const attempts = sizedCache<Attempt>(MAXIMUM_SIZE_OF_ATTEMPTS, ({ size }) => size);

  async function fetchSet(orgId: OrgId, appId: AppId, uri: string, fetchedAt: Date): Promise<StoredKeySet | null> {
    try {
      const keys = readRemoteJwks(await outbound.getJson(orgId, uri, LIMITS));
      if (keys === null) return null;
      const set = { uri, keys, fetchedAt };
      await storeKeySet(db, orgId, appId, set);
      return set;
    } catch (error) {
      if (error instanceof OutboundError) return null;
      throw error;
    }
  }

  /** Asks the host, unless it was asked within `pause`: then what was, or is just being, learnt. */
  function ask(orgId: OrgId, appId: AppId, uri: string, pause: number): Promise<StoredKeySet | null> {
    const name = JSON.stringify([orgId, appId, uri]);
    const now = clock.now();
    const last = attempts.get(name);
    if (last !== undefined && now.getTime() - last.at < pause) return last.result;
    const result = fetchSet(orgId, appId, uri, now);
    attempts.set(name, { at: now.getTime(), result, size: ATTEMPT_SIZE });
    result.then(
      (set) => {
        if (set === null || attempts.get(name)?.result !== result) return;
        attempts.set(name, { at: now.getTime(), result, size: ATTEMPT_SIZE + JSON.stringify(set.keys).length });
      },
      // The database was down, not the host: the next one tries again.
      () => attempts.delete(name),
    );
    return result;
  }

  return {
    keysOf: async (orgId, appId, uri, refresh) => {
      const found = await findKeySet(db, orgId, appId);
      // A set of an address that the client has left says nothing of the one it has now.
      const stored = found?.uri === uri ? found : null;
      const age = stored === null ? Number.POSITIVE_INFINITY : clock.now().getTime() - stored.fetchedAt.getTime();
      if (stored !== null && age < (refresh ? REFRESH_MILLISECONDS : FRESH_MILLISECONDS)) return stored.keys;
      const fetched = await ask(orgId, appId, uri, refresh ? REFRESH_MILLISECONDS : RETRY_MILLISECONDS);
      if (fetched !== null) return fetched.keys;
      return stored !== null && age <= STALE_MILLISECONDS ? stored.keys : null;
    },
  };
}
