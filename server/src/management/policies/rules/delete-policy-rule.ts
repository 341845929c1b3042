import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Work } from '../../../system-log/index.ts';
import { shiftForRemoval } from '../../resource/index.ts';
import { assertNotSystem, getPolicyRule, lockPolicy } from '../guards.ts';
import { POLICY_TYPE_ROWS } from '../types/type-rules.ts';
import { policyRuleChange, policyRuleVersion, policyTarget } from '../wire.ts';
import { POLICY_RULES, shiftPolicyRules } from './rule-store.ts';

export function deletePolicyRule(
  work: Work,
  context: Context,
  { policyId, ruleId }: { readonly policyId: string; readonly ruleId: string },
): Promise<void> {
  return work(context, async (tx, record) => {
    const policy = await lockPolicy(tx, context, policyId);
    const rule = await getPolicyRule(tx, context, policyId, ruleId);
    assertVersion(context, policyRuleVersion(rule));
    assertNotSystem('rule', rule, 'deleted');
    if (POLICY_TYPE_ROWS[policy.type].rules === 'closed') {
      throw invalid('rule', 'A policy of this type keeps the rules that it was created with.');
    }
    await POLICY_RULES.remove(tx, context.orgId, policyId, ruleId);
    await shiftPolicyRules(tx, context.orgId, policyId, shiftForRemoval(rule.priority));
    record({
      eventType: 'policy.rule.delete',
      target: [policyTarget(policy), policyRuleChange([rule, null], context)],
    });
  });
}
