import { sql } from 'kysely';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../../platform/http/index.ts';
import { type Db, prepared, run, type Tx } from '../../../platform/postgres/index.ts';
import type { ClaimValues } from './claim-rules.ts';

export interface ServerClaim extends ClaimValues {
  readonly id: string;
  readonly isSystem: boolean;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

/** Columns in the spelling of ServerClaim, so that a row needs no mapping. */
const COLUMNS = `id, name, status, claim_type as "claimType", value_type as "valueType", value,
  group_filter_type as "groupFilterType", scopes, always_include as "alwaysInclude", is_system as "isSystem",
  created_at as "createdAt", last_updated_at as "lastUpdatedAt", revision`;

export async function findClaim(db: Db, orgId: OrgId, serverId: string, id: string): Promise<ServerClaim | undefined> {
  const text = `select ${COLUMNS} from authorization_server_claims where org_id = $1 and server_id = $2 and id = $3`;
  const [row] = await prepared<ServerClaim>(db, 'authorization_server_claim_by_id', text, [orgId, serverId, id]);
  return row;
}

export async function findClaimForUpdate(
  tx: Tx,
  orgId: OrgId,
  serverId: string,
  id: string,
): Promise<ServerClaim | undefined> {
  const text = `select ${COLUMNS} from authorization_server_claims
    where org_id = $1 and server_id = $2 and id = $3 for update`;
  const [row] = await prepared<ServerClaim>(tx, 'authorization_server_claim_for_update', text, [orgId, serverId, id]);
  return row;
}

/** Reads all active claims of a server, by type and name, for its tokens and documents. */
export function readServerClaims(db: Db, orgId: OrgId, serverId: string): Promise<ServerClaim[]> {
  const text = `select ${COLUMNS} from authorization_server_claims
    where org_id = $1 and server_id = $2 and status = 'ACTIVE' order by claim_type, name`;
  return prepared<ServerClaim>(db, 'authorization_server_claims', text, [orgId, serverId]);
}

/** Counts under the server's lock. */
export async function countClaims(tx: Tx, orgId: OrgId, serverId: string): Promise<number> {
  const text = 'select count(*)::int as count from authorization_server_claims where org_id = $1 and server_id = $2';
  const [row] = await run<{ count: number }>(tx, text, [orgId, serverId]);
  return row?.count ?? 0;
}

/** Inserts all claims in one statement. */
export async function insertClaims(
  tx: Tx,
  orgId: OrgId,
  serverId: string,
  claims: readonly ServerClaim[],
): Promise<void> {
  const text = `insert into authorization_server_claims (org_id, server_id, id, name, status, claim_type, value_type,
      value, group_filter_type, scopes, always_include, is_system, created_at, last_updated_at)
    select $1, $2, d.id, d.name, d.status, d."claimType", d."valueType", d.value, d."groupFilterType", d.scopes,
      d."alwaysInclude", d."isSystem", d."createdAt", d."lastUpdatedAt"
    from jsonb_to_recordset($3::jsonb) as d (id text, name text, status text, "claimType" text, "valueType" text,
      value text, "groupFilterType" text, scopes jsonb, "alwaysInclude" boolean, "isSystem" boolean,
      "createdAt" timestamptz, "lastUpdatedAt" timestamptz)`;
  await prepared(tx, 'authorization_server_claims_insert', text, [orgId, serverId, JSON.stringify(claims)]);
}

export async function updateClaim(tx: Tx, orgId: OrgId, serverId: string, claim: ServerClaim): Promise<void> {
  const text = `update authorization_server_claims
    set name = $4, status = $5, claim_type = $6, value_type = $7, value = $8, group_filter_type = $9, scopes = $10,
      always_include = $11, last_updated_at = $12, revision = revision + 1
    where org_id = $1 and server_id = $2 and id = $3`;
  await prepared(tx, 'authorization_server_claim_update', text, [
    orgId,
    serverId,
    claim.id,
    claim.name,
    claim.status,
    claim.claimType,
    claim.valueType,
    claim.value,
    claim.groupFilterType,
    JSON.stringify(claim.scopes),
    claim.alwaysInclude,
    claim.lastUpdatedAt,
  ]);
}

export async function removeClaim(tx: Tx, orgId: OrgId, serverId: string, id: string): Promise<void> {
  const text = 'delete from authorization_server_claims where org_id = $1 and server_id = $2 and id = $3';
  await prepared(tx, 'authorization_server_claim_delete', text, [orgId, serverId, id]);
}

/** Reads claims by id, nearest to the key first. */
export async function readClaims(
  db: Db,
  orgId: OrgId,
  serverId: string,
  request: KeysetRequest<string>,
): Promise<ServerClaim[]> {
  const beyond = request.backwards ? sql`<` : sql`>`;
  const place = request.key === null ? sql`true` : sql`id ${beyond} ${request.key}`;
  const direction = request.backwards ? sql`desc` : sql`asc`;
  const result = await sql<ServerClaim>`select ${sql.raw(COLUMNS)} from authorization_server_claims
    where org_id = ${orgId} and server_id = ${serverId} and ${place}
    order by id ${direction} limit ${request.rows}`.execute(db);
  return result.rows;
}
