import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import { columns, type Db, prepared, run, type Tx } from '../../../platform/postgres/index.ts';
import type { OfApp } from '../store.ts';
import { keyChanges } from './jwk-changes.ts';
import type { PublicJwk } from './jwk-rules.ts';
import type { StoredKey } from './jwk-stored.ts';

const COLUMNS = columns<StoredKey, StoredKey & OfApp>('app_keys', {
  appId: { is: 'key', reads: null },
  id: 'key',
  kid: 'fixed',
  jwk: 'json',
  status: 'changes',
  createdAt: 'fixed',
  lastUpdatedAt: 'changes',
  revision: 'revision',
});
const SELECT = COLUMNS.select();
const INSERT = COLUMNS.insert();
const UPDATE = COLUMNS.update();

export function findInlineKeys(db: Db, orgId: OrgId, appId: AppId): Promise<StoredKey[]> {
  const text = `select ${SELECT} from app_keys where org_id = $1 and app_id = $2 order by created_at, id`;
  return prepared<StoredKey>(db, 'app_keys', text, [orgId, appId]);
}

/** Apps without keys are missing from the result. */
export async function findInlineKeysOf(
  db: Db,
  orgId: OrgId,
  appIds: readonly string[],
): Promise<ReadonlyMap<string, readonly StoredKey[]>> {
  if (appIds.length === 0) return new Map();
  const text = `select app_id as "appId", ${SELECT} from app_keys
    where org_id = $1 and app_id = any($2) order by created_at, id`;
  const rows = await run<StoredKey & { readonly appId: AppId }>(db, text, [orgId, appIds]);
  const keys = new Map<string, StoredKey[]>();
  for (const { appId, ...key } of rows) keys.set(appId, [...(keys.get(appId) ?? []), key]);
  return keys;
}

export async function insertKey(tx: Tx, orgId: OrgId, appId: AppId, key: StoredKey): Promise<void> {
  await prepared(tx, 'app_key_insert', INSERT.text, INSERT.values(orgId, { ...key, appId }));
}

export async function updateKey(tx: Tx, orgId: OrgId, appId: AppId, key: StoredKey): Promise<void> {
  await prepared(tx, 'app_key_update', UPDATE.text, UPDATE.values(orgId, { ...key, appId }));
}

export async function removeKey(tx: Tx, orgId: OrgId, appId: AppId, id: string): Promise<void> {
  await prepared(tx, 'app_key_delete', `delete from app_keys where ${COLUMNS.isKey}`, [orgId, appId, id]);
}

/**
 * A key that the app already has keeps its id. It also keeps its status unless it is given with another status. Needs
 * the lock on the app's row.
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
  // Keys are removed before others are added, because a new key may reuse the `kid` of a removed one.
  await Promise.all(removed.map(({ id }) => removeKey(tx, orgId, appId, id)));
  await Promise.all([
    ...updated.map((key) => updateKey(tx, orgId, appId, key)),
    ...added.map((key) => insertKey(tx, orgId, appId, key)),
  ]);
}
