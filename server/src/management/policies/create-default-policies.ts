import type { Context } from '../../kernel/context.ts';
import { wholeSecond } from '../../kernel/dates.ts';
import { newId, orgSuffixOf } from '../../kernel/ids.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import { insertPolicyRule } from './rule-store.ts';
import { DEFAULT_POLICIES, DEFAULT_RULE_NAME } from './rules.ts';
import { insertPolicy } from './store.ts';

/** Gives an org the default policy of each type, with its default rule. Runs when the org is created. */
export async function createDefaultPolicies(tx: Tx, context: Context): Promise<void> {
  const suffix = orgSuffixOf(context.orgId);
  const now = wholeSecond(context.now);
  const common = { status: 'ACTIVE', priority: 1, system: true, createdAt: now, lastUpdatedAt: now } as const;
  for (const { name, rule } of DEFAULT_POLICIES) {
    const policyId = newId('policy', suffix);
    await insertPolicy(tx, context.orgId, { ...common, id: policyId, type: rule.type, name, description: null });
    const id = newId('policyRule', suffix);
    await insertPolicyRule(tx, context.orgId, { ...common, ...rule, id, policyId, name: DEFAULT_RULE_NAME });
  }
}
