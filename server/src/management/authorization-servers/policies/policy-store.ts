import { sql } from 'kysely';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../../platform/http/index.ts';
import { type Db, prepared, run, type Tx } from '../../../platform/postgres/index.ts';
import type { AuthorizationServerStatus } from '../lifecycle.ts';
import type { PolicyValues } from '../rules/rule-document-rules.ts';
import type { ServerPolicy } from './policy-rules.ts';

export interface StoredPolicy extends PolicyValues {
  readonly id: string;
  /** From 1, without gaps among the policies of the server. */
  readonly priority: number;
  readonly status: AuthorizationServerStatus;
  readonly isSystem: boolean;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  /** Rises also when changes of other policies move this one. */
  readonly revision: number;
}

/** Columns in the spelling of StoredPolicy, so that a row needs no mapping. */
const COLUMNS = `id, name, description, priority, status, is_system as "isSystem", clients,
  created_at as "createdAt", last_updated_at as "lastUpdatedAt", revision`;

export async function findPolicy(
  db: Db,
  orgId: OrgId,
  serverId: string,
  id: string,
): Promise<StoredPolicy | undefined> {
  const text = `select ${COLUMNS} from authorization_server_policies where org_id = $1 and server_id = $2 and id = $3`;
  const [row] = await prepared<StoredPolicy>(db, 'authorization_server_policy_by_id', text, [orgId, serverId, id]);
  return row;
}

/** Locks the row, so that its checked state is the one that changes, and changes of its rules are serialised. */
export async function findPolicyForUpdate(
  tx: Tx,
  orgId: OrgId,
  serverId: string,
  id: string,
): Promise<StoredPolicy | undefined> {
  const text = `select ${COLUMNS} from authorization_server_policies
    where org_id = $1 and server_id = $2 and id = $3 for update`;
  const [row] = await prepared<StoredPolicy>(tx, 'authorization_server_policy_for_update', text, [orgId, serverId, id]);
  return row;
}

/** Counts under the server's lock. */
export async function countPolicies(tx: Tx, orgId: OrgId, serverId: string): Promise<number> {
  const text = 'select count(*)::int as count from authorization_server_policies where org_id = $1 and server_id = $2';
  const [row] = await run<{ count: number }>(tx, text, [orgId, serverId]);
  return row?.count ?? 0;
}

/** Moves the policies on places `from` to `to` by one place, down (1) or up (-1). */
export async function shiftPolicies(
  tx: Tx,
  orgId: OrgId,
  serverId: string,
  places: { readonly from: number; readonly to: number; readonly by: 1 | -1 },
): Promise<void> {
  const text = `update authorization_server_policies set priority = priority + $5, revision = revision + 1
    where org_id = $1 and server_id = $2 and priority between $3 and $4`;
  await run(tx, text, [orgId, serverId, places.from, places.to, places.by]);
}

export async function insertPolicy(tx: Tx, orgId: OrgId, serverId: string, policy: StoredPolicy): Promise<void> {
  const text = `insert into authorization_server_policies (org_id, server_id, id, name, description, priority, status,
      is_system, clients, created_at, last_updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`;
  await prepared(tx, 'authorization_server_policy_insert', text, [
    orgId,
    serverId,
    policy.id,
    policy.name,
    policy.description,
    policy.priority,
    policy.status,
    policy.isSystem,
    JSON.stringify(policy.clients),
    policy.createdAt,
    policy.lastUpdatedAt,
  ]);
}

export async function updatePolicy(tx: Tx, orgId: OrgId, serverId: string, policy: StoredPolicy): Promise<void> {
  const text = `update authorization_server_policies
    set name = $4, description = $5, priority = $6, status = $7, clients = $8, last_updated_at = $9,
      revision = revision + 1
    where org_id = $1 and server_id = $2 and id = $3`;
  await prepared(tx, 'authorization_server_policy_update', text, [
    orgId,
    serverId,
    policy.id,
    policy.name,
    policy.description,
    policy.priority,
    policy.status,
    JSON.stringify(policy.clients),
    policy.lastUpdatedAt,
  ]);
}

/** Its rules are deleted with it. */
export async function removePolicy(tx: Tx, orgId: OrgId, serverId: string, id: string): Promise<void> {
  const text = 'delete from authorization_server_policies where org_id = $1 and server_id = $2 and id = $3';
  await prepared(tx, 'authorization_server_policy_delete', text, [orgId, serverId, id]);
}

/** Filters and order of a server's policies. */
export interface PolicyQuery {
  readonly status: AuthorizationServerStatus | null;
  /** Prefix of the name. */
  readonly q: string | null;
  readonly sortBy: 'priority' | 'name';
}

/** Reads policies in the requested order, nearest to the key first. */
export async function readPolicies(
  db: Db,
  orgId: OrgId,
  serverId: string,
  query: PolicyQuery,
  request: KeysetRequest<string | number>,
): Promise<StoredPolicy[]> {
  const order = sql.ref(query.sortBy);
  const conditions = [sql`org_id = ${orgId}`, sql`server_id = ${serverId}`];
  if (query.status !== null) conditions.push(sql`status = ${query.status}`);
  if (query.q !== null) conditions.push(sql`starts_with(name, ${query.q})`);
  const beyond = request.backwards ? sql`<` : sql`>`;
  if (request.key !== null) conditions.push(sql`${order} ${beyond} ${request.key}`);
  const direction = request.backwards ? sql`desc` : sql`asc`;
  const result = await sql<StoredPolicy>`select ${sql.raw(COLUMNS)} from authorization_server_policies
    where ${sql.join(conditions, sql` and `)} order by ${order} ${direction} limit ${request.rows}`.execute(db);
  return result.rows;
}

/** Reads the active policies of a server with their active rules, both in order of evaluation. */
export function readServerPolicies(db: Db, orgId: OrgId, serverId: string): Promise<ServerPolicy[]> {
  const text = `select p.id, p.name, p.clients, jsonb_agg(jsonb_build_object('id', r.id, 'name', r.name,
      'conditions', r.conditions, 'accessTokenLifetimeMinutes', r.access_token_lifetime_minutes,
      'refreshTokenLifetimeMinutes', r.refresh_token_lifetime_minutes,
      'refreshTokenWindowMinutes', r.refresh_token_window_minutes) order by r.priority) as rules
    from authorization_server_policies p
    join authorization_server_rules r on r.org_id = p.org_id and r.server_id = p.server_id and r.policy_id = p.id
    where p.org_id = $1 and r.org_id = $1 and p.server_id = $2 and p.status = 'ACTIVE' and r.status = 'ACTIVE'
    group by p.org_id, p.server_id, p.id order by p.priority`;
  return prepared<ServerPolicy>(db, 'authorization_server_active_rules', text, [orgId, serverId]);
}
