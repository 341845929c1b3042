import type { Context } from '../../../kernel/context.ts';
import { limitReached } from '../../../kernel/errors/field-errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { FIRST_REVISION } from '../../../kernel/version.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { createOnce, placeOf, shiftForInsert } from '../../resource/index.ts';
import { gather } from '../conditions/gather-rules.ts';
import type { PolicyInput } from '../contract.ts';
import type { PasswordPreset } from '../evaluation/password-settings-rules.ts';
import type { PoliciesPorts } from '../ports.ts';
import { POLICY_RULES, type PolicyRule } from '../rules/rule-store.ts';
import { lockOrderOfPolicies, POLICIES, type Policy, shiftPolicies } from '../store.ts';
import { policyNamesOf } from '../types/policy-names.ts';
import {
  documentOf,
  MAXIMUM_POLICIES,
  namesOfPolicy,
  readDescription,
  readName,
  readNewPolicyType,
  readPolicyConditions,
  readPolicyPriority,
  readPolicySettings,
} from '../types/rules.ts';
import { POLICY_TYPE_ROWS, policyIdKind, ruleIdKind } from '../types/type-rules.ts';
import { policyChange } from '../wire.ts';
import { assertNamed } from './check-references.ts';

export interface CreatePolicyOptions {
  /** False creates an INACTIVE policy, whatever the body says. */
  readonly activate: boolean;
  /** If a preset is given, the policy gets the preset's settings, and the body must contain none. */
  readonly preset: PasswordPreset | undefined;
}

/** `before` is the replaced policy; the caller checks what may change. */
export function readPolicy(
  context: Context,
  type: Policy['type'],
  input: PolicyInput,
  preset: PasswordPreset | undefined,
  before?: Policy,
): Pick<Policy, 'name' | 'description' | 'conditions' | 'settings'> & { readonly wanted: number | null } {
  const words = policyNamesOf(context);
  return gather({
    name: () => readName(input.name, before?.name),
    description: () => readDescription(input.description, before?.description),
    conditions: () => readPolicyConditions(type, input.conditions, words),
    settings: () => readPolicySettings(type, input.settings, words, preset),
    wanted: () => readPolicyPriority(type, input.priority),
  });
}

/** If `wanted` is null, the policy comes after all others except the default policy. */
export async function placePolicy(
  tx: Tx,
  context: Context,
  policy: Omit<Policy, 'priority'>,
  wanted: number | null,
): Promise<Policy> {
  const last = await lockOrderOfPolicies(tx, context.orgId, policy.type);
  if (last > MAXIMUM_POLICIES) throw limitReached('type', MAXIMUM_POLICIES, 'policies of this type');
  const placed = { ...policy, priority: placeOf(wanted, last) };
  await shiftPolicies(tx, context.orgId, policy.type, shiftForInsert(placed.priority));
  await POLICIES.insert(tx, context.orgId, placed);
  return placed;
}

/** Returns null for a type without a catch-all rule. */
export function catchAllOf(context: Context, policy: Policy): PolicyRule | null {
  const { catchAll } = POLICY_TYPE_ROWS[policy.type];
  if (catchAll === null) return null;
  const { createdAt, lastUpdatedAt } = policy;
  return {
    ...documentOf(policy.type, null, catchAll.actions),
    id: newId(ruleIdKind(policy.type), orgSuffixOf(context.orgId)),
    policyId: policy.id,
    name: catchAll.name,
    status: 'ACTIVE',
    priority: 1,
    system: true,
    createdAt,
    lastUpdatedAt,
    revision: FIRST_REVISION,
  };
}

/** Creates a policy, with the catch-all rule of its type if there is one. */
export function createPolicy(
  ports: PoliciesPorts,
  context: Context,
  input: PolicyInput,
  { activate, preset }: CreatePolicyOptions,
): Promise<Policy> {
  const type = readNewPolicyType(input.type, context.namespace.upper);
  const { wanted, ...given } = readPolicy(context, type, input, preset);
  const now = wholeSecond(context.now);
  const drafted = {
    ...given,
    id: newId(policyIdKind(type), orgSuffixOf(context.orgId)),
    type,
    status: activate ? (input.status ?? 'ACTIVE') : 'INACTIVE',
    system: false,
    createdAt: now,
    lastUpdatedAt: now,
    revision: FIRST_REVISION,
  } as const;
  return ports.work(context, (tx, record) =>
    createOnce(tx, context, drafted.id, POLICIES.find, async () => {
      await assertNamed(tx, context, namesOfPolicy(type, drafted.conditions), []);
      const policy = await placePolicy(tx, context, drafted, wanted);
      const ending = catchAllOf(context, policy);
      if (ending !== null) await POLICY_RULES.insert(tx, context.orgId, ending);
      record({ eventType: 'policy.lifecycle.create', target: [policyChange([null, policy], context)] });
      return policy;
    }),
  );
}
