import { sql } from 'kysely';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../../platform/http/index.ts';
import { columns, type Db, prepared, type Tx } from '../../../platform/postgres/index.ts';
import { countSiblings, resourceStore } from '../../resource/index.ts';
import type { OfServer, PartKey } from '../store.ts';
import type { ClaimValues } from './claim-rules.ts';

export interface ServerClaim extends ClaimValues {
  readonly id: string;
  readonly isSystem: boolean;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

const COLUMNS = columns<ServerClaim & OfServer>('authorization_server_claims', {
  serverId: 'key',
  id: 'key',
  name: 'changes',
  status: 'changes',
  claimType: 'changes',
  valueType: 'changes',
  value: 'changes',
  groupFilterType: 'changes',
  scopes: 'json',
  alwaysInclude: 'changes',
  isSystem: 'fixed',
  createdAt: 'fixed',
  lastUpdatedAt: 'changes',
  revision: 'revision',
});

export const SERVER_CLAIMS = resourceStore<ServerClaim & OfServer, PartKey>('authorization_server_claim', COLUMNS);

export function readServerClaims(db: Db, orgId: OrgId, serverId: string): Promise<ServerClaim[]> {
  const text = `select ${COLUMNS.select()} from authorization_server_claims
    where org_id = $1 and server_id = $2 and status = 'ACTIVE' order by claim_type, name`;
  return prepared<ServerClaim>(db, 'authorization_server_claims', text, [orgId, serverId]);
}

/** The caller holds the server's lock, so the number cannot rise. */
export const countClaims = (tx: Tx, orgId: OrgId, serverId: string): Promise<number> =>
  countSiblings(tx, orgId, SERVER_CLAIMS.table, { server_id: serverId });

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

export const readClaims = (
  db: Db,
  orgId: OrgId,
  serverId: string,
  request: KeysetRequest<string>,
): Promise<ServerClaim[]> => SERVER_CLAIMS.readPage(db, orgId, [sql`server_id = ${serverId}`], request);
