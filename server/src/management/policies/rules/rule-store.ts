import { sql } from 'kysely';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../../platform/http/index.ts';
import { columns, type Db, prepared, run, type Tx } from '../../../platform/postgres/index.ts';
import { resourceStore, type Shift, shiftSiblings } from '../../resource/index.ts';
import type { LoadedRule } from '../evaluation/evaluation-rules.ts';
import type { PolicyStatus } from '../lifecycle.ts';
import { conditionsOfPolicy } from '../store.ts';
import type { RuleDocument } from '../types/rules.ts';
import type { PolicyType } from '../types/type-rules.ts';

export interface PolicyRuleFields {
  readonly id: string;
  readonly policyId: string;
  readonly name: string;
  readonly status: PolicyStatus;
  /** Priorities start at 1 and have no gaps; the default rule is last. */
  readonly priority: number;
  readonly system: boolean;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

export type PolicyRule = PolicyRuleFields & RuleDocument;

const COLUMNS = columns<PolicyRule>('policy_rules', {
  policyId: 'key',
  id: 'key',
  type: 'fixed',
  name: 'changes',
  status: 'changes',
  priority: 'changes',
  system: 'fixed',
  conditions: 'json',
  actions: 'json',
  createdAt: 'fixed',
  lastUpdatedAt: 'changes',
  revision: 'revision',
});

export const POLICY_RULES = resourceStore<PolicyRule, [policyId: string, id: string]>('policy_rule', COLUMNS);

export interface RuleCounts {
  /** The number of rules, without the default rule. */
  readonly rules: number;
  /** The number of EXPRESSION patterns in all rules except `exceptId`. */
  readonly expressions: number;
}

/** The caller holds the lock on the policy, so the counts cannot change. */
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

export const shiftPolicyRules = (tx: Tx, orgId: OrgId, policyId: string, shift: Shift): Promise<void> =>
  shiftSiblings(tx, orgId, 'policy_rules', { policy_id: policyId }, shift);

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

export const readPolicyRules = (
  db: Db,
  orgId: OrgId,
  policyId: string,
  request: KeysetRequest<number>,
): Promise<PolicyRule[]> => POLICY_RULES.readPage(db, orgId, [sql`policy_id = ${policyId}`], request, 'priority');

export function readRulesOfPolicies(db: Db, orgId: OrgId, policyIds: readonly string[]): Promise<PolicyRule[]> {
  const text = `select ${COLUMNS.select()} from policy_rules where org_id = $1 and policy_id = any($2::text[])
    order by policy_id, priority`;
  return run<PolicyRule>(db, text, [orgId, policyIds]);
}

export function readActiveRules(db: Db, orgId: OrgId, type: PolicyType): Promise<LoadedRule[]> {
  const text = `select p.id as "policyId", p.name as "policyName",
      ${conditionsOfPolicy('p')} as "policyConditions", p.settings as "policySettings",
      r.id as "ruleId", r.name as "ruleName", r.type, r.conditions, r.actions
    from policies p join policy_rules r on r.org_id = p.org_id and r.policy_id = p.id
    where p.org_id = $1 and r.org_id = $1 and p.type = $2 and p.status = 'ACTIVE' and r.status = 'ACTIVE'
    order by p.priority, r.priority`;
  return run<LoadedRule>(db, text, [orgId, type]);
}

/** Returns the name of a rule that names the network zone or identity provider with this id, or null if none does. */
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
