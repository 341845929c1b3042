import type { Context } from '../../../kernel/context.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Work } from '../../../system-log/index.ts';
import { activated } from '../../resource/index.ts';
import { assertNotSystem, getPolicyRule, lockPolicy } from '../guards.ts';
import { type PolicyAction, policyLifecycle, policyRuleLifecycle } from '../lifecycle.ts';
import { POLICY_RULES } from '../rules/rule-store.ts';
import { POLICIES } from '../store.ts';
import { policyChange, policyRuleChange, policyRuleVersion, policyTarget, policyVersion } from '../wire.ts';
import { assertSeen } from './assert-seen.ts';

export function changePolicyStatus(work: Work, context: Context, id: string, action: PolicyAction): Promise<void> {
  return work(context, async (tx, record) => {
    const before = await lockPolicy(tx, context, id);
    assertVersion(context, policyVersion(before));
    const change = activated(context, before, policyLifecycle, action);
    if (change === null) return;
    assertNotSystem('policy', before, 'deactivated');
    const { after, event } = change;
    await POLICIES.update(tx, context.orgId, after);
    record({ eventType: event, target: [policyChange([before, after], context)] });
  });
}

export function changePolicyRuleStatus(
  work: Work,
  context: Context,
  { policyId, ruleId }: { readonly policyId: string; readonly ruleId: string },
  action: PolicyAction,
): Promise<void> {
  return work(context, async (tx, record) => {
    const policy = await lockPolicy(tx, context, policyId);
    const before = await getPolicyRule(tx, context, policyId, ruleId);
    assertVersion(context, policyRuleVersion(before));
    const change = activated(context, before, policyRuleLifecycle, action);
    if (change === null) return;
    assertNotSystem('rule', before, 'deactivated');
    if (action === 'activate') assertSeen(context, before);
    const { after, event } = change;
    await POLICY_RULES.update(tx, context.orgId, after);
    record({ eventType: event, target: [policyTarget(policy), policyRuleChange([before, after], context)] });
  });
}
