import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Json, JsonObject, NewEvent, Record } from '../../../system-log/index.ts';
import { membershipsOf } from '../../groups/index.ts';
import type { GroupRule } from '../group-rule.ts';
import { groupRuleLifecycle } from '../lifecycle.ts';
import { MAXIMUM_EXCLUDED } from '../rules.ts';
import { dropExcludedGroup, lockRulesNaming, lockValidRules, raiseRevisions, updateGroupRuleStatus } from '../store.ts';
import { groupRuleChange, ruleTarget } from '../wire.ts';
import { expressionChecker } from './compiled-group-rule.ts';
import { evaluateUsers } from './evaluate-users.ts';
import { requestEvaluation, requestEvaluationOfGroups } from './evaluation-job.ts';
import { excludeRemoved, existsOverfullRule, readRuleNames } from './evaluation-store.ts';
import { findRuleState, lockRulesExclusively, lockRulesShared, renewVersion } from './state-store.ts';

const firstIds = (events: readonly NewEvent[]): string[] =>
  events.flatMap(({ target = [] }) => target.slice(0, 1).map(({ id }) => id));

export async function evaluateRulesForChangedUsers(
  tx: Tx,
  context: Context,
  events: readonly NewEvent[],
  record: Record,
): Promise<void> {
  const isNew = ({ eventType }: NewEvent): boolean => eventType === 'user.lifecycle.create';
  const changed = firstIds(events.filter((event) => !isNew(event)));
  await evaluateUsers(tx, context, record, firstIds(events.filter(isNew)), { isNew: true });
  await evaluateUsers(tx, context, record, changed);
}

/** Evaluates the rules for users who are no longer deactivated, because rules skip deactivated users. */
export async function evaluateRulesForReturnedUsers(
  tx: Tx,
  context: Context,
  events: readonly NewEvent[],
  record: Record,
): Promise<void> {
  const cameBack = ({ target = [] }: NewEvent): boolean => target[0]?.changeDetails?.from['status'] === 'DEPROVISIONED';
  await evaluateUsers(tx, context, record, firstIds(events.filter(cameBack)));
}

export async function evaluateRulesForJoinedMembers(
  tx: Tx,
  context: Context,
  events: readonly NewEvent[],
  record: Record,
): Promise<void> {
  const userIds = membershipsOf(events).map(({ userId }) => userId);
  await evaluateUsers(tx, context, record, userIds, { whenGroupsMatter: true });
}

/** Rules may depend on memberships that now count as added by hand. */
export async function evaluateRulesForPinnedMembers(
  tx: Tx,
  context: Context,
  record: Record,
  userIds: readonly string[],
): Promise<void> {
  await evaluateUsers(tx, context, record, userIds, { whenGroupsMatter: true });
}

/** Makes rules exclude users whom they had added and somebody removed by hand. Returns the ids of these users. */
async function excludeMembers(
  tx: Tx,
  context: Context,
  removed: ReturnType<typeof membershipsOf>,
  record: Record,
): Promise<readonly string[]> {
  const ended = await excludeRemoved(tx, context.orgId, removed);
  if (ended.length === 0) return [];
  const ruleIds = [...new Set(ended.map(({ ruleId }) => ruleId))];
  if (await existsOverfullRule(tx, context.orgId, ruleIds, MAXIMUM_EXCLUDED)) {
    throw invalid('users', `A rule may exclude at most ${MAXIMUM_EXCLUDED} users. Change its expression instead.`);
  }
  await raiseRevisions(tx, context.orgId, ruleIds);
  const names = await readRuleNames(tx, context.orgId, ruleIds);
  const pairs = new Map(ended.map(({ ruleId, userId }) => [`${ruleId} ${userId}`, { ruleId, userId }]));
  for (const { ruleId, userId } of pairs.values()) {
    const name = names.get(ruleId);
    if (name === undefined) continue;
    const changeDetails = { from: { excludedUserId: null }, to: { excludedUserId: userId } };
    record({
      eventType: 'group.user_membership.rule.add_exclusion',
      target: [{ ...ruleTarget({ id: ruleId, name }), changeDetails }],
    });
  }
  return ended.map(({ userId }) => userId);
}

export async function evaluateRulesForLeftMembers(
  tx: Tx,
  context: Context,
  events: readonly NewEvent[],
  record: Record,
): Promise<void> {
  const removed = membershipsOf(events);
  // A change to rules takes this lock before it locks rows of rules, so this function must keep the same order.
  if ((await lockRulesShared(tx, context.orgId)) === undefined) return;
  // A user whom a rule excludes also loses the rule's other groups, even if no rule depends on groups.
  await evaluateUsers(tx, context, record, await excludeMembers(tx, context, removed, record));
  const userIds = removed.map(({ userId }) => userId);
  await evaluateUsers(tx, context, record, userIds, { whenGroupsMatter: true });
}

async function invalidate(tx: Tx, context: Context, rule: GroupRule, record: Record): Promise<void> {
  if (!groupRuleLifecycle.allows(rule.status, 'invalidate')) return;
  const after = { ...rule, status: 'INVALID', lastUpdatedAt: wholeSecond(context.now) } as const;
  await updateGroupRuleStatus(tx, context.orgId, rule.id, after);
  const { event } = groupRuleLifecycle.transition('invalidate');
  record({ eventType: event, target: [groupRuleChange([rule, after])] });
}

/** Makes rules INVALID if they assign a deleted group, and drops the group from exclusions. */
export async function forgetGroup(tx: Tx, context: Context, event: NewEvent, record: Record): Promise<void> {
  const [groupId] = firstIds([event]);
  if (groupId === undefined || (await findRuleState(tx, context.orgId)) === undefined) return;
  await lockRulesExclusively(tx, context.orgId);
  // This call comes before the version is renewed, because compiled rules are cached under the current version.
  await requestEvaluationOfGroups(tx, context);
  for (const rule of await lockRulesNaming(tx, context.orgId, groupId)) {
    if (rule.excludedGroupIds.includes(groupId)) await dropExcludedGroup(tx, context.orgId, rule.id, groupId);
    if (rule.targetGroupIds.includes(groupId)) await invalidate(tx, context, rule, record);
  }
  await renewVersion(tx, context.orgId);
}

const nameIn = (values: JsonObject | undefined): Json | undefined => {
  const profile = values?.['profile'];
  return typeof profile === 'object' && profile !== null && 'name' in profile ? profile['name'] : undefined;
};

/** Requests a pass if the name of a group changed and active rules depend on groups. */
export async function noteRenamedGroup(tx: Tx, context: Context, { target = [] }: NewEvent): Promise<void> {
  const { from, to } = target[0]?.changeDetails ?? {};
  if (nameIn(from) === nameIn(to)) return;
  if ((await findRuleState(tx, context.orgId)) === undefined) return;
  await lockRulesExclusively(tx, context.orgId);
  await requestEvaluationOfGroups(tx, context);
}

/** Makes rules INVALID if their expressions no longer compile. */
export async function recheckExpressions(tx: Tx, context: Context, _event: NewEvent, record: Record): Promise<void> {
  if ((await findRuleState(tx, context.orgId)) === undefined) return;
  await lockRulesExclusively(tx, context.orgId);
  const isUnderstood = await expressionChecker(tx, context.orgId);
  const outdated = (await lockValidRules(tx, context.orgId)).filter(({ expression }) => !isUnderstood(expression));
  for (const rule of outdated) await invalidate(tx, context, rule, record);
  // The members of these rules now count as added by hand, so the results of other rules may change.
  if (outdated.some(({ status }) => status === 'ACTIVE')) await requestEvaluation(tx, context);
  await renewVersion(tx, context.orgId);
}
