import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { limitReached } from '../../../kernel/errors/field-errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Record, Work } from '../../../system-log/index.ts';
import { createOnce } from '../../resource/index.ts';
import type { GroupRuleInput } from '../contract.ts';
import { programOf } from '../evaluation/compiled-group-rule.ts';
import { existingUserIds } from '../evaluation/evaluation-store.ts';
import { lockRulesExclusively, renewVersion } from '../evaluation/state-store.ts';
import type { GroupRule } from '../group-rule.ts';
import { assertKinds, MAXIMUM_EXCLUDED, MAXIMUM_TARGET_GROUPS, readIds, readName } from '../rules.ts';
import { GROUP_RULES, insertGroupRule } from '../store.ts';
import { groupRuleChange } from '../wire.ts';
import { assertExcludable, lockTargets } from './guards.ts';

/** An org has at most this many rules, because all active rules are evaluated when a user's profile changes. */
export const MAXIMUM_RULES = 2_000;

/** Reads a rule, except its name. */
export function readInput(context: Context, input: GroupRuleInput) {
  const { actions, conditions, type } = input;
  assertKinds({ type, expressionType: conditions.expression.type }, context.namespace.word);
  const { groups, users } = conditions.people ?? {};
  return {
    expression: conditions.expression.value,
    targetGroupIds: readIds(actions.assignUserToGroups.groupIds, 'groupIds', MAXIMUM_TARGET_GROUPS),
    excludedUserIds: readIds(users?.exclude ?? [], 'users', MAXIMUM_EXCLUDED).toSorted(),
    excludedGroupIds: readIds(groups?.exclude ?? [], 'groups', MAXIMUM_TARGET_GROUPS),
  };
}

export async function assertConditions(
  tx: Tx,
  context: Context,
  { excludedGroupIds, excludedUserIds, expression }: ReturnType<typeof readInput>,
): Promise<void> {
  await programOf(tx, context, expression);
  const known = new Set(await existingUserIds(tx, context.orgId, excludedUserIds));
  const unknown = excludedUserIds.find((id) => !known.has(id));
  if (unknown !== undefined) throw invalid('users', `There is no user ${unknown}.`);
  await assertExcludable(tx, context, excludedGroupIds);
}

/** Creates an INACTIVE rule, once per `Idempotency-Key`. */
export async function createGroupRule(work: Work, context: Context, input: GroupRuleInput): Promise<GroupRule> {
  const read = readInput(context, input);
  const now = wholeSecond(context.now);
  const rule: GroupRule = {
    ...read,
    name: readName(input.name),
    id: newId('groupRule', orgSuffixOf(context.orgId)),
    status: 'INACTIVE',
    evaluatedBy: null,
    createdAt: now,
    lastUpdatedAt: now,
    revision: 1,
  };
  const make = async (tx: Tx, record: Record): Promise<GroupRule> => {
    await lockTargets(tx, context, rule.targetGroupIds);
    // Deletions of groups take this lock too, so that each of them finds every rule that names the group.
    await lockRulesExclusively(tx, context.orgId);
    if ((await GROUP_RULES.count(tx, context.orgId, MAXIMUM_RULES)) >= MAXIMUM_RULES) {
      throw limitReached('name', MAXIMUM_RULES, 'group rules');
    }
    await assertConditions(tx, context, read);
    await insertGroupRule(tx, context.orgId, rule);
    await renewVersion(tx, context.orgId);
    record({ eventType: 'group.user_membership.rule.create', target: [groupRuleChange([null, rule])] });
    return rule;
  };
  return work(context, (tx, record) => createOnce(tx, context, rule.id, GROUP_RULES.find, () => make(tx, record)));
}
