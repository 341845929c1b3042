import { sql } from 'kysely';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../../platform/http/index.ts';
import { type Db, prepared, type Tx } from '../../../platform/postgres/index.ts';
import { type AuthorizationServer, readServers, SERVER_COLUMNS } from '../store.ts';

/** Locks these servers in order of id, so that concurrent changes do not cause a deadlock. */
export function lockServers(tx: Tx, orgId: OrgId, ids: readonly string[]): Promise<AuthorizationServer[]> {
  const text = `select ${SERVER_COLUMNS} from authorization_servers where org_id = $1 and id = any($2::text[])
    order by id for update`;
  return prepared<AuthorizationServer>(tx, 'authorization_servers_for_update', text, [orgId, ids]);
}

/** Returns false if the server was already trusted. */
export async function insertTrust(
  tx: Tx,
  orgId: OrgId,
  trust: { readonly serverId: string; readonly trustedServerId: string; readonly createdAt: Date },
): Promise<boolean> {
  const text = `insert into authorization_server_trusts (org_id, server_id, trusted_server_id, created_at)
    values ($1, $2, $3, $4) on conflict do nothing returning 1 as inserted`;
  const values = [orgId, trust.serverId, trust.trustedServerId, trust.createdAt];
  return (await prepared(tx, 'server_trust_insert', text, values)).length > 0;
}

/** Returns false if the server was not trusted. */
export async function removeTrust(tx: Tx, orgId: OrgId, serverId: string, trustedServerId: string): Promise<boolean> {
  const text = `delete from authorization_server_trusts
    where org_id = $1 and server_id = $2 and trusted_server_id = $3 returning 1 as deleted`;
  return (await prepared(tx, 'server_trust_delete', text, [orgId, serverId, trustedServerId])).length > 0;
}

export async function isTrustedServer(
  db: Db,
  orgId: OrgId,
  serverId: string,
  trustedServerId: string,
): Promise<boolean> {
  const text = `select 1 as trusted from authorization_server_trusts
    where org_id = $1 and server_id = $2 and trusted_server_id = $3`;
  return (await prepared(db, 'server_trust', text, [orgId, serverId, trustedServerId])).length > 0;
}

export async function countTrusts(tx: Tx, orgId: OrgId, serverId: string): Promise<number> {
  const text = 'select count(*)::int as count from authorization_server_trusts where org_id = $1 and server_id = $2';
  const [row] = await prepared<{ count: number }>(tx, 'server_trust_count', text, [orgId, serverId]);
  return row?.count ?? 0;
}

/** Reads the servers that a server trusts or those that it does not trust, without the server itself. */
export function readAssociatedServers(
  db: Db,
  orgId: OrgId,
  serverId: string,
  wanted: { readonly isTrusted: boolean; readonly q: string | null },
  request: KeysetRequest<string>,
): Promise<AuthorizationServer[]> {
  const trust = sql`exists (select from authorization_server_trusts t
    where t.org_id = ${orgId} and t.server_id = ${serverId} and t.trusted_server_id = id)`;
  const also = [sql`id <> ${serverId}`, wanted.isTrusted ? trust : sql`not ${trust}`];
  return readServers(db, orgId, { q: wanted.q, also }, request);
}
