import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import { sizedCache } from '../../../platform/caches/index.ts';
import { type Outbound, OutboundError } from '../../../platform/outbound/index.ts';
import type { Foundation } from '../../../system-log/index.ts';
import { type PublicJwk, readRemoteJwks } from '../keys/jwk-rules.ts';
import { findKeySet, type StoredKeySet, storeKeySet } from './client-key-set-store.ts';

const MINUTE_MILLISECONDS = 60_000;
/** Age up to which a set is used without a request; a key removed from it stays valid until then. */
const FRESH_MILLISECONDS = 5 * MINUTE_MILLISECONDS;
/** Age up to which a set is used while its host can't be reached. */
const STALE_MILLISECONDS = 60 * MINUTE_MILLISECONDS;
/** Anybody can name an unknown key, so this interval limits how often that causes a request to the host. */
const REFRESH_MILLISECONDS = MINUTE_MILLISECONDS;
/** After a failure, the host gets no further request for this long. */
const RETRY_MILLISECONDS = 10_000;

const LIMITS = { maximumBytes: 65_536, timeoutMilliseconds: 3_000 };
/**
 * Counted in characters rather than in key sets: one set can take up to 64 KB, so limiting the number of sets would not
 * bound memory.
 */
const MAXIMUM_SIZE_OF_ATTEMPTS = 8_000_000;
const ATTEMPT_SIZE = 200;

export interface RemoteKeySetsPorts extends Pick<Foundation, 'db' | 'clock'> {
  readonly outbound: Pick<Outbound, 'getJson'>;
}

export interface RemoteKeySets {
  /**
   * Returns the keys at a client's `jwks_uri`, at most 50, or null when they can't be obtained. `refresh` means that an
   * assertion names a key that was not among them. Throws only when the database can't be reached.
   */
  keysOf(orgId: OrgId, appId: AppId, uri: string, refresh: boolean): Promise<readonly PublicJwk[] | null>;
}

/** The last time this process requested a set, and the request itself while it is in flight. */
interface Attempt {
  readonly at: number;
  readonly result: Promise<StoredKeySet | null>;
  /** Size of the result in characters, which bounds the cache. */
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

  /**
   * Requests the set from the host, unless that was done within `pause`: then the earlier result, or the request in
   * flight, is reused.
   */
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
      // The database failed, not the host: the next caller tries again.
      () => attempts.delete(name),
    );
    return result;
  }

  return {
    keysOf: async (orgId, appId, uri, refresh) => {
      const found = await findKeySet(db, orgId, appId);
      // A set from an earlier `jwks_uri` does not describe the current one.
      const stored = found?.uri === uri ? found : null;
      const age = stored === null ? Number.POSITIVE_INFINITY : clock.now().getTime() - stored.fetchedAt.getTime();
      if (stored !== null && age < (refresh ? REFRESH_MILLISECONDS : FRESH_MILLISECONDS)) return stored.keys;
      const fetched = await ask(orgId, appId, uri, refresh ? REFRESH_MILLISECONDS : RETRY_MILLISECONDS);
      if (fetched !== null) return fetched.keys;
      return stored !== null && age <= STALE_MILLISECONDS ? stored.keys : null;
    },
  };
}
