import { sql } from 'kysely';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../../platform/http/index.ts';
import { type Db, prepared, run, type Tx } from '../../../platform/postgres/index.ts';
import type { LoadedRule } from '../evaluation/evaluation-rules.ts';
import type { PolicyStatus } from '../lifecycle.ts';
import { CONDITIONS_OF_POLICY } from '../store.ts';
import type { RuleDocument } from '../types/rules.ts';
import type { PolicyType } from '../types/type-rules.ts';

export interface PolicyRuleFields {
  readonly id: string;
  readonly policyId: string;
  readonly name: string;
  readonly status: PolicyStatus;
  /** From 1, without gaps among the rules of the policy; the default's is the highest. */
  readonly priority: number;
  readonly system: boolean;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  /** Rises also when changes of other rules move this one. */
  readonly revision: number;
}

export type PolicyRule = PolicyRuleFields & RuleDocument;

/** Columns in the spelling of PolicyRule, so that a row needs no mapping. */
const COLUMNS = `id, policy_id as "policyId", type, name, status, priority, system, conditions, actions,
  created_at as "createdAt", last_updated_at as "lastUpdatedAt", revision`;

export async function findPolicyRule(
  db: Db,
  orgId: OrgId,
  policyId: string,
  id: string,
): Promise<PolicyRule | undefined> {
  const text = `select ${COLUMNS} from policy_rules where org_id = $1 and policy_id = $2 and id = $3`;
  const [row] = await prepared<PolicyRule>(db, 'policy_rule_by_id', text, [orgId, policyId, id]);
  return row;
}

export interface RuleCounts {
  /** Excludes the default rule. */
  readonly rules: number;
  /** EXPRESSION patterns of all rules but `exceptId`. */
  readonly expressions: number;
}

/** Counts under the policy's lock. */
export async function countPolicyRules(
  tx: Tx,
  orgId: OrgId,
  policyId: string,
  exceptId: string | null,
): Promise<RuleCounts> {
  const text = `select count(*) filter (where not system)::int as rules, coalesce(sum(jsonb_array_length(
      jsonb_path_query_array(conditions, '$.userIdentifier.patterns[*] ? (@.matchType == "EXPRESSION")')
    )) filter (where id is distinct from $3), 0)::int as expressions
    from policy_rules where org_id = $1 and policy_id = $2`;
  const [row] = await run<RuleCounts>(tx, text, [orgId, policyId, exceptId]);
  return row ?? { rules: 0, expressions: 0 };
}

/** Moves the rules on places `from` to `to` by one place, down (1) or up (-1). */
export async function shiftPolicyRules(
  tx: Tx,
  orgId: OrgId,
  policyId: string,
  places: { readonly from: number; readonly to: number; readonly by: 1 | -1 },
): Promise<void> {
  const text = `update policy_rules set priority = priority + $5, revision = revision + 1
    where org_id = $1 and policy_id = $2 and priority between $3 and $4`;
  await run(tx, text, [orgId, policyId, places.from, places.to, places.by]);
}

export async function insertPolicyRule(tx: Tx, orgId: OrgId, rule: PolicyRule): Promise<void> {
  const text = `insert into policy_rules (org_id, policy_id, id, type, name, status, priority, system, conditions,
      actions, created_at, last_updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`;
  await prepared(tx, 'policy_rule_insert', text, [
    orgId,
    rule.policyId,
    rule.id,
    rule.type,
    rule.name,
    rule.status,
    rule.priority,
    rule.system,
    rule.conditions === null ? null : JSON.stringify(rule.conditions),
    JSON.stringify(rule.actions),
    rule.createdAt,
    rule.lastUpdatedAt,
  ]);
}

/** Inserts the rules of a new org's policies in one statement. */
export async function insertStandardRules(
  tx: Tx,
  orgId: OrgId,
  rules: readonly PolicyRule[],
  now: Date,
): Promise<void> {
  const text = `insert into policy_rules (org_id, policy_id, id, type, name, status, priority, system, conditions,
      actions, created_at, last_updated_at)
    select $1, d."policyId", d.id, d.type, d.name, 'ACTIVE', 1, true, d.conditions, d.actions, $3, $3
    from jsonb_to_recordset($2::jsonb)
      as d ("policyId" text, id text, type text, name text, conditions jsonb, actions jsonb)`;
  await prepared(tx, 'policy_rules_insert_standard', text, [orgId, JSON.stringify(rules), now]);
}

export async function updatePolicyRule(tx: Tx, orgId: OrgId, rule: PolicyRule): Promise<void> {
  const text = `update policy_rules
    set name = $4, status = $5, priority = $6, conditions = $7, actions = $8, last_updated_at = $9,
      revision = revision + 1
    where org_id = $1 and policy_id = $2 and id = $3`;
  await prepared(tx, 'policy_rule_update', text, [
    orgId,
    rule.policyId,
    rule.id,
    rule.name,
    rule.status,
    rule.priority,
    rule.conditions === null ? null : JSON.stringify(rule.conditions),
    JSON.stringify(rule.actions),
    rule.lastUpdatedAt,
  ]);
}

export async function removePolicyRule(tx: Tx, orgId: OrgId, policyId: string, id: string): Promise<void> {
  const text = 'delete from policy_rules where org_id = $1 and policy_id = $2 and id = $3';
  await prepared(tx, 'policy_rule_delete', text, [orgId, policyId, id]);
}

/** Reads rules by priority, nearest to the key first. */
export async function readPolicyRules(
  db: Db,
  orgId: OrgId,
  policyId: string,
  request: KeysetRequest<number>,
): Promise<PolicyRule[]> {
  const beyond = request.backwards ? sql`<` : sql`>`;
  const place = request.key === null ? sql`true` : sql`priority ${beyond} ${request.key}`;
  const direction = request.backwards ? sql`desc` : sql`asc`;
  const result = await sql<PolicyRule>`select ${sql.raw(COLUMNS)} from policy_rules
    where org_id = ${orgId} and policy_id = ${policyId} and ${place}
    order by priority ${direction} limit ${request.rows}`.execute(db);
  return result.rows;
}

/** Reads all rules of these policies, in order of evaluation. */
export function readRulesOfPolicies(db: Db, orgId: OrgId, policyIds: readonly string[]): Promise<PolicyRule[]> {
  const text = `select ${COLUMNS} from policy_rules where org_id = $1 and policy_id = any($2::text[])
    order by policy_id, priority`;
  return run<PolicyRule>(db, text, [orgId, policyIds]);
}

/** Reads all active rules of active policies of a type, in order of evaluation. */
export function readActiveRules(db: Db, orgId: OrgId, type: PolicyType): Promise<LoadedRule[]> {
  const text = `select p.id as "policyId", p.name as "policyName",
      ${CONDITIONS_OF_POLICY} as "policyConditions", p.settings as "policySettings",
      r.id as "ruleId", r.name as "ruleName", r.type, r.conditions, r.actions
    from policies p join policy_rules r on r.org_id = p.org_id and r.policy_id = p.id
    where p.org_id = $1 and r.org_id = $1 and p.type = $2 and p.status = 'ACTIVE' and r.status = 'ACTIVE'
    order by p.priority, r.priority`;
  return run<LoadedRule>(db, text, [orgId, type]);
}

/** Finds the name of a rule that names a network zone or an identity provider; null when there is none. */
export async function findRuleNaming(db: Db, orgId: OrgId, id: string): Promise<string | null> {
  const text = `select name from policy_rules where org_id = $1 and (
      conditions -> 'network' -> 'include' ? $2 or conditions -> 'network' -> 'exclude' ? $2
      or actions @> jsonb_build_object('providers', jsonb_build_array(jsonb_build_object('id', $2::text)))
      or actions -> 'claimSourcing' -> 'refresh' -> 'filter' -> 'include'
        @> jsonb_build_array(jsonb_build_object('id', $2::text))
    ) order by policy_id, priority limit 1`;
  const [row] = await run<{ name: string }>(db, text, [orgId, id]);
  return row?.name ?? null;
}
