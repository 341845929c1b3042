import type { Context } from '../../../kernel/context.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Work } from '../../../system-log/index.ts';
import { assertNotSystem, getPolicyRule, lockPolicy } from '../guards.ts';
import { type PolicyAction, policyLifecycle, policyRuleLifecycle } from '../lifecycle.ts';
import { updatePolicyRule } from '../rules/rule-store.ts';
import { updatePolicy } from '../store.ts';
import { policyChange, policyRuleChange, policyRuleVersion, policyTarget, policyVersion } from '../wire.ts';
import { assertSeen } from './assert-seen.ts';

/**
 * Activates or deactivates a policy; one in that status already stays as it is, without an event. 404 E0000007; 400
 * E0000001 where it would deactivate the default policy.
 */
export function changePolicyStatus(work: Work, context: Context, id: string, action: PolicyAction): Promise<void> {
  return work(context, async (tx, record) => {
    const before = await lockPolicy(tx, context, id);
    assertVersion(context, policyVersion(before));
    if (!policyLifecycle.allows(before.status, action)) return;
    assertNotSystem('policy', before, 'deactivated');
    const { to, event } = policyLifecycle.transition(action);
    const after = { ...before, status: to[0], lastUpdatedAt: wholeSecond(context.now), revision: before.revision + 1 };
    await updatePolicy(tx, context.orgId, after);
    record({ eventType: event, target: [policyChange([before, after], context)] });
  });
}

/** Activates or deactivates a rule in the same way. 400 E0000001 too where it reads what the caller does not see. */
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
    if (!policyRuleLifecycle.allows(before.status, action)) return;
    assertNotSystem('rule', before, 'deactivated');
    if (action === 'activate') assertSeen(context, before);
    const { to, event } = policyRuleLifecycle.transition(action);
    const after = { ...before, status: to[0], lastUpdatedAt: wholeSecond(context.now), revision: before.revision + 1 };
    await updatePolicyRule(tx, context.orgId, after);
    record({ eventType: event, target: [policyTarget(policy), policyRuleChange([before, after], context)] });
  });
}
