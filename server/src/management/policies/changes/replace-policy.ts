import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { groupsOfEveryone } from '../../groups/index.ts';
import { changedRow, placeOf, shiftForMove } from '../../resource/index.ts';
import type { PolicyInput } from '../contract.ts';
import type { PasswordPreset } from '../evaluation/password-settings-rules.ts';
import { assertSystemKeeps, lockPolicyAndOrder } from '../guards.ts';
import { type PolicyAction, policyLifecycle } from '../lifecycle.ts';
import type { PoliciesPorts } from '../ports.ts';
import { POLICIES, type Policy, shiftPolicies } from '../store.ts';
import { namesOfPolicy, readPolicyType } from '../types/rules.ts';
import { policyChange, policyVersion } from '../wire.ts';
import { assertNamed } from './check-references.ts';
import { readPolicy } from './create-policy.ts';

export interface PolicyReplacement {
  readonly input: PolicyInput;
  readonly preset: PasswordPreset | undefined;
}

/** The caller moves the other policies. */
function replaced(context: Context, before: Policy, { input, preset }: PolicyReplacement, last: number): Policy {
  const type = readPolicyType(input.type, context.namespace.upper);
  if (type !== before.type) throw invalid('type', 'cannot be changed.');
  const { wanted, ...given } = readPolicy(context, type, input, preset, before);
  const lastOfOthers = Math.max(1, last - 1);
  return changedRow(context, before, {
    ...given,
    status: input.status ?? before.status,
    priority: before.system ? (wanted ?? last) : placeOf(wanted ?? before.priority, lastOfOthers),
  });
}

/**
 * The default policy applies to everyone without naming a group, so the group Everyone is dropped from its conditions.
 */
async function withEveryone(tx: Tx, context: Context, policy: Policy): Promise<Policy> {
  const { conditions } = policy;
  if (!policy.system || conditions === null || conditions.groups.include.length === 0) return policy;
  const everyone = await groupsOfEveryone(tx, context.orgId);
  const include = conditions.groups.include.filter((id) => !everyone.includes(id));
  return { ...policy, conditions: { ...conditions, groups: { ...conditions.groups, include } } };
}

/** Keeps the priority and status if the body omits them. */
export function replacePolicy(
  ports: PoliciesPorts,
  context: Context,
  id: string,
  replacement: PolicyReplacement,
): Promise<Policy> {
  return ports.work(context, async (tx, record) => {
    const { policy: before, last } = await lockPolicyAndOrder(tx, context, id);
    assertVersion(context, policyVersion(before));
    const after = await withEveryone(tx, context, replaced(context, before, replacement, last));
    if (before.system) assertSystemKeeps('policy', before, after, ['name', 'status', 'priority', 'conditions']);
    const named = namesOfPolicy(after.type, after.conditions);
    await assertNamed(tx, context, named, namesOfPolicy(before.type, before.conditions));
    const target = policyChange([before, after], context);
    if (target.changeDetails === undefined) return before;
    const shift = shiftForMove(before.priority, after.priority);
    if (shift !== null) await shiftPolicies(tx, context.orgId, after.type, shift);
    await POLICIES.update(tx, context.orgId, after);
    record({ eventType: 'policy.lifecycle.update', target: [target] });
    if (before.status !== after.status) {
      const action: PolicyAction = after.status === 'ACTIVE' ? 'activate' : 'deactivate';
      record({ eventType: policyLifecycle.transition(action).event, target: [target] });
    }
    return after;
  });
}
