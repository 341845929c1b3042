import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import { type Db, prepared } from '../../../platform/postgres/index.ts';
import type { PublicJwk } from '../keys/jwk-rules.ts';

/** The keys that were last read from a client's `jwks_uri`. */
export interface StoredKeySet {
  readonly uri: string;
  readonly keys: readonly PublicJwk[];
  readonly fetchedAt: Date;
}

export async function findKeySet(db: Db, orgId: OrgId, appId: AppId): Promise<StoredKeySet | undefined> {
  const text = `select uri, keys, fetched_at as "fetchedAt" from app_key_sets where org_id = $1 and app_id = $2`;
  const [row] = await prepared<StoredKeySet>(db, 'app_key_set', text, [orgId, appId]);
  return row;
}

/** Stores a key set, unless a newer one is already stored or the app no longer exists. */
export async function storeKeySet(db: Db, orgId: OrgId, appId: AppId, set: StoredKeySet): Promise<void> {
  const text = `insert into app_key_sets (org_id, app_id, uri, keys, fetched_at)
    select a.org_id, a.id, $3, $4, $5 from apps a where a.org_id = $1 and a.id = $2
    on conflict (org_id, app_id) do update
      set uri = excluded.uri, keys = excluded.keys, fetched_at = excluded.fetched_at
      where app_key_sets.org_id = $1 and app_key_sets.fetched_at <= excluded.fetched_at`;
  await prepared(db, 'app_key_set_store', text, [orgId, appId, set.uri, JSON.stringify(set.keys), set.fetchedAt]);
}
