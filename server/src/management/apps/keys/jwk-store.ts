import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import { type Db, prepared, run, type Tx } from '../../../platform/postgres/index.ts';
import { keyChanges } from './jwk-changes.ts';
import type { PublicJwk } from './jwk-rules.ts';
import type { StoredKey } from './jwk-stored.ts';

/** Columns in the spelling of StoredKey, so that a row needs no mapping. */
const COLUMNS = `id, kid, jwk, status, created_at as "createdAt", last_updated_at as "lastUpdatedAt", revision`;

/** Finds every key of an app, oldest first. */
export function findInlineKeys(db: Db, orgId: OrgId, appId: AppId): Promise<StoredKey[]> {
  const text = `select ${COLUMNS} from app_keys where org_id = $1 and app_id = $2 order by created_at, id`;
  return prepared<StoredKey>(db, 'app_keys', text, [orgId, appId]);
}

/** Finds the keys of several apps, by the app's id; apps without keys are missing. */
export async function findInlineKeysOf(
  db: Db,
  orgId: OrgId,
  appIds: readonly string[],
): Promise<ReadonlyMap<string, readonly StoredKey[]>> {
  if (appIds.length === 0) return new Map();
  const text = `select app_id as "appId", ${COLUMNS} from app_keys
    where org_id = $1 and app_id = any($2) order by created_at, id`;
  const rows = await run<StoredKey & { readonly appId: AppId }>(db, text, [orgId, appIds]);
  const keys = new Map<string, StoredKey[]>();
  for (const { appId, ...key } of rows) keys.set(appId, [...(keys.get(appId) ?? []), key]);
  return keys;
}

export async function insertKey(tx: Tx, orgId: OrgId, appId: AppId, key: StoredKey): Promise<void> {
  const text = `insert into app_keys (org_id, app_id, id, kid, jwk, status, created_at, last_updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8)`;
  const { id, kid, jwk, status, createdAt, lastUpdatedAt } = key;
  const values = [orgId, appId, id, kid, JSON.stringify(jwk), status, createdAt, lastUpdatedAt];
  await prepared(tx, 'app_key_insert', text, values);
}

/** Updates the use and the status of a key; its numbers and its `kid` never change. */
export async function updateKey(tx: Tx, orgId: OrgId, appId: AppId, key: StoredKey): Promise<void> {
  const text = `update app_keys set jwk = $4, status = $5, last_updated_at = $6, revision = revision + 1
    where org_id = $1 and app_id = $2 and id = $3`;
  const values = [orgId, appId, key.id, JSON.stringify(key.jwk), key.status, key.lastUpdatedAt];
  await prepared(tx, 'app_key_update', text, values);
}

export async function removeKey(tx: Tx, orgId: OrgId, appId: AppId, id: string): Promise<void> {
  const text = 'delete from app_keys where org_id = $1 and app_id = $2 and id = $3';
  await prepared(tx, 'app_key_delete', text, [orgId, appId, id]);
}

/**
 * Replaces the keys of an app. One that it has already keeps its id and, unless the body gives another, its status, so
 * that echoing what was read does not revive a deactivated key. Needs the lock of the app's row.
 */
export async function replaceInlineKeys(
  tx: Tx,
  orgId: OrgId,
  appId: AppId,
  keys: readonly PublicJwk[],
  orgSuffix: string,
  now: Date,
): Promise<void> {
  const { removed, updated, added } = keyChanges(await findInlineKeys(tx, orgId, appId), keys, orgSuffix, now);
  // Removal comes first, because a new key may reuse the `kid` of a removed one.
  await Promise.all(removed.map(({ id }) => removeKey(tx, orgId, appId, id)));
  await Promise.all([
    ...updated.map((key) => updateKey(tx, orgId, appId, key)),
    ...added.map((key) => insertKey(tx, orgId, appId, key)),
  ]);
}
