import { type RawBuilder, sql } from 'kysely';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../../platform/http/index.ts';
import { type Db, prepared, type Tx } from '../../../platform/postgres/index.ts';
import type { StoredJwk } from './key-contract.ts';

export interface ProviderKey {
  readonly kid: string;
  readonly jwk: StoredJwk;
  readonly expiresAt: Date;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

/** Columns in the spelling of ProviderKey, so that a row needs no mapping. */
const COLUMNS = `kid, jwk, expires_at as "expiresAt", created_at as "createdAt",
  last_updated_at as "lastUpdatedAt", revision`;

export async function findKey(db: Db, orgId: OrgId, kid: string): Promise<ProviderKey | undefined> {
  const text = `select ${COLUMNS} from identity_provider_keys where org_id = $1 and kid = $2`;
  const [row] = await prepared<ProviderKey>(db, 'identity_provider_key_by_kid', text, [orgId, kid]);
  return row;
}

/** Locks a key that a provider is about to name, so that it is not deleted or replaced meanwhile. */
export async function findKeyForShare(tx: Tx, orgId: OrgId, kid: string): Promise<ProviderKey | undefined> {
  const text = `select ${COLUMNS} from identity_provider_keys where org_id = $1 and kid = $2 for share`;
  const [row] = await prepared<ProviderKey>(tx, 'identity_provider_key_for_share', text, [orgId, kid]);
  return row;
}

export async function findKeyForUpdate(tx: Tx, orgId: OrgId, kid: string): Promise<ProviderKey | undefined> {
  const text = `select ${COLUMNS} from identity_provider_keys where org_id = $1 and kid = $2 for update`;
  const [row] = await prepared<ProviderKey>(tx, 'identity_provider_key_for_update', text, [orgId, kid]);
  return row;
}

/** Counts up to `maximum`. */
export async function countKeys(tx: Tx, orgId: OrgId, maximum: number): Promise<number> {
  const text = `select count(*) as count from (select 1 from identity_provider_keys where org_id = $1 limit $2) t`;
  const [row] = await prepared<{ count: number }>(tx, 'identity_provider_key_count', text, [orgId, maximum]);
  return row?.count ?? 0;
}

export async function insertKey(tx: Tx, orgId: OrgId, key: ProviderKey): Promise<void> {
  const text = `insert into identity_provider_keys (org_id, kid, jwk, expires_at, created_at, last_updated_at)
    values ($1, $2, $3, $4, $5, $6)`;
  await prepared(tx, 'identity_provider_key_insert', text, [
    orgId,
    key.kid,
    JSON.stringify(key.jwk),
    key.expiresAt,
    key.createdAt,
    key.lastUpdatedAt,
  ]);
}

export async function updateKey(tx: Tx, orgId: OrgId, key: ProviderKey): Promise<void> {
  const text = `update identity_provider_keys set jwk = $3, expires_at = $4, last_updated_at = $5,
      revision = revision + 1
    where org_id = $1 and kid = $2`;
  await prepared(tx, 'identity_provider_key_update', text, [
    orgId,
    key.kid,
    JSON.stringify(key.jwk),
    key.expiresAt,
    key.lastUpdatedAt,
  ]);
}

export async function removeKey(tx: Tx, orgId: OrgId, kid: string): Promise<void> {
  const text = 'delete from identity_provider_keys where org_id = $1 and kid = $2';
  await prepared(tx, 'identity_provider_key_delete', text, [orgId, kid]);
}

/** Reads keys by kid, nearest to the key first. */
export async function readKeys(db: Db, orgId: OrgId, request: KeysetRequest<string>): Promise<ProviderKey[]> {
  const conditions: RawBuilder<unknown>[] = [sql`org_id = ${orgId}`];
  const beyond = request.backwards ? sql`<` : sql`>`;
  if (request.key !== null) conditions.push(sql`kid ${beyond} ${request.key}`);
  const direction = request.backwards ? sql`desc` : sql`asc`;
  const result = await sql<ProviderKey>`select ${sql.raw(COLUMNS)} from identity_provider_keys
    where ${sql.join(conditions, sql` and `)} order by kid ${direction} limit ${request.rows}`.execute(db);
  return result.rows;
}
