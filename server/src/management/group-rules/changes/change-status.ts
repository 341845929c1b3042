import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Work } from '../../../system-log/index.ts';
import { programOf } from '../evaluation/compiled-group-rule.ts';
import { requestEvaluation, requestEvaluationOfGroups } from '../evaluation/evaluation-job.ts';
import { lockRulesExclusively, renewVersion } from '../evaluation/state-store.ts';
import { type GroupRuleAction, groupRuleLifecycle } from '../lifecycle.ts';
import { updateGroupRuleStatus } from '../store.ts';
import { groupRuleChange, groupRuleVersion } from '../wire.ts';
import { assertMayPlace, assertMayPlaceAnew, lockRule, lockTargets, readRule } from './guards.ts';

/** Clients search error messages for these words. */
const INVALID_RULE = 'Cannot activate or deactivate a Group Rule with the status INVALID';

/** Activation requests an evaluation of all users; deactivation keeps the members whom the rule added. */
export function changeGroupRuleStatus(
  work: Work,
  context: Context,
  id: string,
  action: GroupRuleAction,
): Promise<void> {
  return work(context, async (tx, record) => {
    const { targetGroupIds, status } = await readRule(tx, context, id);
    // Groups are locked before rules, as in the deletion of a group. Another order could cause a deadlock.
    if (action === 'activate' && status === 'INACTIVE') await lockTargets(tx, context, targetGroupIds);
    await lockRulesExclusively(tx, context.orgId);
    const before = await lockRule(tx, context, id);
    assertVersion(context, groupRuleVersion(before));
    assertMayPlace(context, before.targetGroupIds);
    if (before.status === 'INVALID') throw invalid('status', `${INVALID_RULE}.`);
    if (!groupRuleLifecycle.allows(before.status, action)) return;
    await assertMayPlaceAnew(tx, context);
    if (action === 'activate') await programOf(tx, context, before.expression);
    // The rule's members now count as added by hand, so the results of other rules may change.
    if (action === 'deactivate') await requestEvaluationOfGroups(tx, context);
    await renewVersion(tx, context.orgId);
    const evaluatedBy = action === 'activate' ? await requestEvaluation(tx, context) : before.evaluatedBy;
    const { event, to } = groupRuleLifecycle.transition(action);
    const after = { ...before, status: to[0], evaluatedBy, lastUpdatedAt: wholeSecond(context.now) };
    await updateGroupRuleStatus(tx, context.orgId, id, after);
    record({ eventType: event, target: [groupRuleChange([before, after])] });
  });
}
