import type { Context } from '../../../kernel/context.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Work } from '../../../system-log/index.ts';
import { raiseRevisionsUnder } from '../../apps/index.ts';
import { shiftForRemoval } from '../../resource/index.ts';
import { assertNotSystem, lockPolicyAndOrder } from '../guards.ts';
import { POLICIES, shiftPolicies } from '../store.ts';
import { policyChange, policyVersion } from '../wire.ts';

export function deletePolicy(work: Work, context: Context, id: string): Promise<void> {
  return work(context, async (tx, record) => {
    const { policy } = await lockPolicyAndOrder(tx, context, id);
    assertVersion(context, policyVersion(policy));
    assertNotSystem('policy', policy, 'deleted');
    await raiseRevisionsUnder(tx, context.orgId, id);
    await POLICIES.remove(tx, context.orgId, id);
    await shiftPolicies(tx, context.orgId, policy.type, shiftForRemoval(policy.priority));
    record({ eventType: 'policy.lifecycle.delete', target: [policyChange([policy, null], context)] });
  });
}
