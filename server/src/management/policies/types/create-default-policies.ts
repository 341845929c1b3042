import type { Context } from '../../../kernel/context.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { FIRST_REVISION } from '../../../kernel/version.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { insertStandardRules, type PolicyRule } from '../rules/rule-store.ts';
import { insertStandardPolicies, type Policy } from '../store.ts';
import { documentOf } from './rules.ts';
import { POLICY_TYPE_ROWS, POLICY_TYPES, policyIdKind, ruleIdKind } from './type-rules.ts';

/** Skips types that already have a default policy. */
export async function createDefaultPolicies(tx: Tx, context: Context): Promise<void> {
  const suffix = orgSuffixOf(context.orgId);
  const now = wholeSecond(context.now);
  const common = {
    status: 'ACTIVE',
    priority: 1,
    system: true,
    createdAt: now,
    lastUpdatedAt: now,
    revision: FIRST_REVISION,
  } as const;
  const policies: Policy[] = [];
  const rules: PolicyRule[] = [];
  for (const type of POLICY_TYPES) {
    const { standard } = POLICY_TYPE_ROWS[type];
    if (standard === null) continue;
    const { conditions, name, rule, settings } = standard;
    const policyId = newId(policyIdKind(type), suffix);
    policies.push({ ...common, id: policyId, type, name, description: null, conditions, settings });
    const document = documentOf(type, rule.conditions, rule.actions);
    rules.push({ ...common, ...document, id: newId(ruleIdKind(type), suffix), policyId, name: rule.name });
  }
  const made = await insertStandardPolicies(tx, context.orgId, policies, now);
  const rulesOfMade = rules.filter(({ policyId }) => made.has(policyId));
  if (rulesOfMade.length > 0) await insertStandardRules(tx, context.orgId, rulesOfMade, now);
}
