import type { Context } from '../../../kernel/context.ts';
import { apiError, invalid } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import { claimIdempotency, type Tx } from '../../../platform/postgres/index.ts';
import type { Work } from '../../../system-log/index.ts';
import type { GroupRuleInput } from '../contract.ts';
import { programOf } from '../evaluation/compiled-group-rule.ts';
import { existingUserIds } from '../evaluation/evaluation-store.ts';
import { lockRulesExclusively, renewVersion } from '../evaluation/state-store.ts';
import type { GroupRule } from '../group-rule.ts';
import { assertKinds, MAXIMUM_EXCLUDED, MAXIMUM_TARGET_GROUPS, readIds, readName } from '../rules.ts';
import { countGroupRules, findGroupRule, insertGroupRule } from '../store.ts';
import { groupRuleChange } from '../wire.ts';
import { assertExcludable, lockTargets } from './guards.ts';

/** Every change of a user is judged by all rules of the org that are active. */
export const MAXIMUM_RULES = 2_000;

/** What a body says of a rule; what depends on the org is asked in the transaction. 400 E0000001. */
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

/** 400 E0000001 for an expression that means nothing, and for whom the org does not have. */
export async function assertConditions(
  tx: Tx,
  context: Context,
  { excludedGroupIds, excludedUserIds, expression }: ReturnType<typeof readInput>,
): Promise<void> {
  await programOf(tx, context, expression);
  const known = new Set(await existingUserIds(tx, context.orgId, excludedUserIds));
  const unknown = excludedUserIds.find((id) => !known.has(id));
  if (unknown !== undefined) throw invalid('users', `users: There is no user ${unknown}.`);
  await assertExcludable(tx, context, excludedGroupIds);
}

/**
 * Makes a rule, INACTIVE. 400 E0000001 for an expression with faults (each with its position), for groups that no rule
 * may assign, a name that the org has already, and past 2,000 rules. A repeated `Idempotency-Key` returns what the
 * first request made.
 */
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
  return work(context, async (tx, record) => {
    const earlier = await claimIdempotency(tx, context, rule.id);
    if (earlier !== null) {
      const existing = await findGroupRule(tx, context.orgId, earlier);
      if (existing === undefined) throw apiError('E0000195', { reason: 'what this key created is gone' });
      return existing;
    }
    await lockTargets(tx, context, rule.targetGroupIds);
    // Rules of an org change one after another; a group that is deleted meanwhile sees the rule, or it sees it gone.
    await lockRulesExclusively(tx, context.orgId);
    if ((await countGroupRules(tx, context.orgId, MAXIMUM_RULES)) >= MAXIMUM_RULES) {
      throw invalid('name', `name: an org may have at most ${MAXIMUM_RULES} group rules.`);
    }
    await assertConditions(tx, context, read);
    await insertGroupRule(tx, context.orgId, rule);
    await renewVersion(tx, context.orgId);
    record({ eventType: 'group.user_membership.rule.create', target: [groupRuleChange([null, rule])] });
    return rule;
  });
}
