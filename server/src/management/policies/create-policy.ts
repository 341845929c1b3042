import type { Context } from '../../kernel/context.ts';
import { wholeSecond } from '../../kernel/dates.ts';
import { apiError } from '../../kernel/errors.ts';
import { newId, orgSuffixOf } from '../../kernel/ids.ts';
import { claimIdempotency } from '../../platform/postgres/index.ts';
import type { Work } from '../../system-log/index.ts';
import type { PolicyInput } from './contract.ts';
import { placeOf, shiftForInsert } from './order-rules.ts';
import {
  checkPolicyConditions,
  MAXIMUM_POLICIES,
  readDescription,
  readName,
  readPolicyType,
  readPriority,
} from './rules.ts';
import { readMembers, refused } from './shape-rules.ts';
import { findPolicy, insertPolicy, lockOrderOfPolicies, type Policy, shiftPolicies } from './store.ts';
import { policyChange } from './wire.ts';

function draft(context: Context, input: PolicyInput, activate: boolean): Omit<Policy, 'priority'> {
  const type = readPolicyType(input.type, context.namespace.upper);
  if (type === 'IDP_DISCOVERY') throw refused('type', 'An org has exactly one policy of the type IDP_DISCOVERY.');
  checkPolicyConditions(type, input.conditions);
  readMembers('settings', input.settings, []);
  const now = wholeSecond(context.now);
  return {
    id: newId('policy', orgSuffixOf(context.orgId)),
    type,
    name: readName(input.name),
    description: readDescription(input.description),
    status: activate ? (input.status ?? 'ACTIVE') : 'INACTIVE',
    system: false,
    createdAt: now,
    lastUpdatedAt: now,
  };
}

/**
 * Creates a policy, without rules at first: it decides nothing until it has one. 400 E0000001 for a type that can't be
 * made, a name that the type has already, a group, and past 100 of them. A repeated `Idempotency-Key` returns what the
 * first request made.
 */
export async function createPolicy(
  work: Work,
  context: Context,
  input: PolicyInput,
  activate: boolean,
): Promise<Policy> {
  const drafted = draft(context, input, activate);
  const wanted = readPriority(input.priority);
  return work(context, async (tx, record) => {
    const earlier = await claimIdempotency(tx, context, drafted.id);
    if (earlier !== null) {
      const existing = await findPolicy(tx, context.orgId, earlier);
      if (existing === undefined) throw apiError('E0000195', { reason: 'what this key created is gone' });
      return existing;
    }
    const last = await lockOrderOfPolicies(tx, context.orgId, drafted.type);
    if (last > MAXIMUM_POLICIES) {
      throw refused('type', `an org may have at most ${MAXIMUM_POLICIES} policies of this type.`);
    }
    const policy = { ...drafted, priority: placeOf(wanted, last) };
    await shiftPolicies(tx, context.orgId, policy.type, shiftForInsert(policy.priority));
    await insertPolicy(tx, context.orgId, policy);
    record({ eventType: 'policy.lifecycle.create', target: [policyChange([null, policy], context)] });
    return policy;
  });
}
