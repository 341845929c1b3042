import { sql } from 'kysely';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../../platform/http/index.ts';
import { type Db, prepared, run, type Tx } from '../../../platform/postgres/index.ts';
import type { AuthorizationServerStatus } from '../lifecycle.ts';
import type { RuleValues } from './rule-document-rules.ts';

/** The policy whose rules are meant. */
export interface RulesPlace {
  readonly serverId: string;
  readonly policyId: string;
}

export interface StoredRule extends RuleValues {
  readonly id: string;
  /** From 1, without gaps among the rules of the policy. */
  readonly priority: number;
  readonly status: AuthorizationServerStatus;
  readonly isSystem: boolean;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  /** Rises also when changes of other rules move this one. */
  readonly revision: number;
}

/** Columns in the spelling of StoredRule, so that a row needs no mapping. */
const COLUMNS = `id, name, priority, status, is_system as "isSystem", conditions,
  access_token_lifetime_minutes as "accessTokenLifetimeMinutes",
  refresh_token_lifetime_minutes as "refreshTokenLifetimeMinutes",
  refresh_token_window_minutes as "refreshTokenWindowMinutes",
  created_at as "createdAt", last_updated_at as "lastUpdatedAt", revision`;

export async function findRule(
  db: Db,
  orgId: OrgId,
  { policyId, serverId }: RulesPlace,
  id: string,
): Promise<StoredRule | undefined> {
  const text = `select ${COLUMNS} from authorization_server_rules
    where org_id = $1 and server_id = $2 and policy_id = $3 and id = $4`;
  const values = [orgId, serverId, policyId, id];
  const [row] = await prepared<StoredRule>(db, 'authorization_server_rule_by_id', text, values);
  return row;
}

/** Counts under the policy's lock. */
export async function countRules(tx: Tx, orgId: OrgId, { policyId, serverId }: RulesPlace): Promise<number> {
  const text = `select count(*)::int as count from authorization_server_rules
    where org_id = $1 and server_id = $2 and policy_id = $3`;
  const [row] = await run<{ count: number }>(tx, text, [orgId, serverId, policyId]);
  return row?.count ?? 0;
}

/** Moves the rules on places `from` to `to` by one place, down (1) or up (-1). */
export async function shiftRules(
  tx: Tx,
  orgId: OrgId,
  { policyId, serverId }: RulesPlace,
  places: { readonly from: number; readonly to: number; readonly by: 1 | -1 },
): Promise<void> {
  const text = `update authorization_server_rules set priority = priority + $6, revision = revision + 1
    where org_id = $1 and server_id = $2 and policy_id = $3 and priority between $4 and $5`;
  await run(tx, text, [orgId, serverId, policyId, places.from, places.to, places.by]);
}

export async function insertRule(
  tx: Tx,
  orgId: OrgId,
  { policyId, serverId }: RulesPlace,
  rule: StoredRule,
): Promise<void> {
  const text = `insert into authorization_server_rules (org_id, server_id, policy_id, id, name, priority, status,
      is_system, conditions, access_token_lifetime_minutes, refresh_token_lifetime_minutes,
      refresh_token_window_minutes, created_at, last_updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`;
  await prepared(tx, 'authorization_server_rule_insert', text, [
    orgId,
    serverId,
    policyId,
    rule.id,
    rule.name,
    rule.priority,
    rule.status,
    rule.isSystem,
    JSON.stringify(rule.conditions),
    rule.accessTokenLifetimeMinutes,
    rule.refreshTokenLifetimeMinutes,
    rule.refreshTokenWindowMinutes,
    rule.createdAt,
    rule.lastUpdatedAt,
  ]);
}

export async function updateRule(
  tx: Tx,
  orgId: OrgId,
  { policyId, serverId }: RulesPlace,
  rule: StoredRule,
): Promise<void> {
  const text = `update authorization_server_rules
    set name = $5, priority = $6, status = $7, conditions = $8, access_token_lifetime_minutes = $9,
      refresh_token_lifetime_minutes = $10, refresh_token_window_minutes = $11, last_updated_at = $12,
      revision = revision + 1
    where org_id = $1 and server_id = $2 and policy_id = $3 and id = $4`;
  await prepared(tx, 'authorization_server_rule_update', text, [
    orgId,
    serverId,
    policyId,
    rule.id,
    rule.name,
    rule.priority,
    rule.status,
    JSON.stringify(rule.conditions),
    rule.accessTokenLifetimeMinutes,
    rule.refreshTokenLifetimeMinutes,
    rule.refreshTokenWindowMinutes,
    rule.lastUpdatedAt,
  ]);
}

export async function removeRule(tx: Tx, orgId: OrgId, { policyId, serverId }: RulesPlace, id: string): Promise<void> {
  const text = `delete from authorization_server_rules
    where org_id = $1 and server_id = $2 and policy_id = $3 and id = $4`;
  await prepared(tx, 'authorization_server_rule_delete', text, [orgId, serverId, policyId, id]);
}

/** Reads rules by priority, nearest to the key first. */
export async function readRules(
  db: Db,
  orgId: OrgId,
  { policyId, serverId }: RulesPlace,
  request: KeysetRequest<number>,
): Promise<StoredRule[]> {
  const beyond = request.backwards ? sql`<` : sql`>`;
  const place = request.key === null ? sql`true` : sql`priority ${beyond} ${request.key}`;
  const direction = request.backwards ? sql`desc` : sql`asc`;
  const result = await sql<StoredRule>`select ${sql.raw(COLUMNS)} from authorization_server_rules
    where org_id = ${orgId} and server_id = ${serverId} and policy_id = ${policyId} and ${place}
    order by priority ${direction} limit ${request.rows}`.execute(db);
  return result.rows;
}
