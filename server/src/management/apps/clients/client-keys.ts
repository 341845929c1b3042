import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import { sizedCache } from '../../../platform/caches/index.ts';
import { type Outbound, OutboundError } from '../../../platform/outbound/index.ts';
import type { Foundation } from '../../../system-log/index.ts';
import { type PublicJwk, readRemoteJwks } from '../keys/jwk-rules.ts';
import { findKeySet, type StoredKeySet, storeKeySet } from './client-key-set-store.ts';

const MINUTE_MILLISECONDS = 60_000;
/** The age up to which a set is used without a new request. */
const FRESH_MILLISECONDS = 5 * MINUTE_MILLISECONDS;
/** The age up to which a stored set is used while no new set can be obtained. */
const STALE_MILLISECONDS = 60 * MINUTE_MILLISECONDS;
/** The minimum interval between requests for unknown keys. Anybody can send assertions that name such keys. */
const REFRESH_MILLISECONDS = MINUTE_MILLISECONDS;
/** The minimum interval between requests of this process for one key set, unless an assertion names an unknown key. */
const RETRY_MILLISECONDS = 10_000;

const LIMITS = { maximumBytes: 65_536, timeoutMilliseconds: 3_000 };
/** The maximum total size of the attempts in the cache, in characters. */
const MAXIMUM_SIZE_OF_ATTEMPTS = 8_000_000;
const ATTEMPT_SIZE = 200;

export interface RemoteKeySetsPorts extends Pick<Foundation, 'db' | 'clock'> {
  readonly outbound: Pick<Outbound, 'getJson'>;
}

export interface RemoteKeySets {
  /** Returns null when the keys cannot be obtained. `refresh` means that an assertion names an unknown key. */
  keysOf(orgId: OrgId, appId: AppId, uri: string, refresh: boolean): Promise<readonly PublicJwk[] | null>;
}

interface Attempt {
  readonly at: number;
  readonly result: Promise<StoredKeySet | null>;
  /** The estimated size in characters. */
  readonly size: number;
}

/** Creates a reader that requests key sets through the outbound guard and stores them in the database. */
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

  /** Requests the set, or returns the result of a request that this process made in the last `pause` milliseconds. */
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
      // The database failed, not the host, so the next caller may try again immediately.
      () => attempts.delete(name),
    );
    return result;
  }

  return {
    keysOf: async (orgId, appId, uri, refresh) => {
      const found = await findKeySet(db, orgId, appId);
      // A set that was read from an earlier `jwks_uri` does not count.
      const stored = found?.uri === uri ? found : null;
      const age = stored === null ? Number.POSITIVE_INFINITY : clock.now().getTime() - stored.fetchedAt.getTime();
      if (stored !== null && age < (refresh ? REFRESH_MILLISECONDS : FRESH_MILLISECONDS)) return stored.keys;
      const fetched = await ask(orgId, appId, uri, refresh ? REFRESH_MILLISECONDS : RETRY_MILLISECONDS);
      if (fetched !== null) return fetched.keys;
      return stored !== null && age <= STALE_MILLISECONDS ? stored.keys : null;
    },
  };
}
