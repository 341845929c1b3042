import type { Context } from '../../kernel/context.ts';
import { wholeSecond } from '../../kernel/dates.ts';
import type { Work } from '../../system-log/index.ts';
import type { PolicyInput } from './contract.ts';
import { assertSystemKeeps, lockPolicyAndOrder } from './guards.ts';
import { type PolicyAction, policyLifecycle } from './lifecycle.ts';
import { placeOf, shiftForMove } from './order-rules.ts';
import { checkPolicyConditions, readDescription, readName, readPolicyType, readPriority } from './rules.ts';
import { readMembers, refused } from './shape-rules.ts';
import { type Policy, shiftPolicies, updatePolicy } from './store.ts';
import { policyChange } from './wire.ts';

/** The policy as the body says, before its place among the others is known. */
function replaced(context: Context, before: Policy, input: PolicyInput, last: number): Policy {
  const type = readPolicyType(input.type, context.namespace.upper);
  if (type !== before.type) throw refused('type', 'A policy keeps its type.');
  checkPolicyConditions(type, input.conditions);
  readMembers('settings', input.settings, []);
  const wanted = readPriority(input.priority);
  const lastOfOthers = Math.max(1, last - 1);
  return {
    ...before,
    name: readName(input.name),
    description: readDescription(input.description),
    status: input.status ?? before.status,
    priority: before.system ? (wanted ?? last) : placeOf(wanted ?? before.priority, lastOfOthers),
    lastUpdatedAt: wholeSecond(context.now),
  };
}

/**
 * Name and description are what the body says, place and status where it says them. Of the default policy only the
 * description changes. What changes nothing leaves no event. 404 E0000007; 400 as on create.
 */
export function replacePolicy(work: Work, context: Context, id: string, input: PolicyInput): Promise<Policy> {
  return work(context, async (tx, record) => {
    const { policy: before, last } = await lockPolicyAndOrder(tx, context, id);
    const after = replaced(context, before, input, last);
    if (before.system) assertSystemKeeps('policy', before, after, ['name', 'status', 'priority']);
    const target = policyChange([before, after], context);
    if (target.changeDetails === undefined) return before;
    const shift = shiftForMove(before.priority, after.priority);
    if (shift !== null) await shiftPolicies(tx, context.orgId, after.type, shift);
    await updatePolicy(tx, context.orgId, after);
    record({ eventType: 'policy.lifecycle.update', target: [target] });
    if (before.status !== after.status) {
      const action: PolicyAction = after.status === 'ACTIVE' ? 'activate' : 'deactivate';
      record({ eventType: policyLifecycle.transition(action).event, target: [target] });
    }
    return after;
  });
}
