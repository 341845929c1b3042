import type { Context } from '../../../kernel/context.ts';
import { assertVersion } from '../../../kernel/version.ts';
import { enqueue } from '../../../platform/jobs/index.ts';
import type { Work } from '../../../system-log/index.ts';
import { RELEASE_MEMBERS, type ReleasePayload } from '../evaluation/release-job.ts';
import { lockRulesExclusively, renewVersion } from '../evaluation/state-store.ts';
import { GROUP_RULES } from '../store.ts';
import { groupRuleChange, groupRuleVersion } from '../wire.ts';
import { assertMayPlace, assertMayPlaceAnew, lockRule } from './guards.ts';

/**
 * Deletes a rule in any status. A job then ends the memberships that come only from the rule, or keeps them if
 * `removeUsers` is false.
 */
export function deleteGroupRule(
  work: Work,
  context: Context,
  id: string,
  { removeUsers }: { readonly removeUsers: boolean },
): Promise<void> {
  return work(context, async (tx, record) => {
    await lockRulesExclusively(tx, context.orgId);
    const rule = await lockRule(tx, context, id);
    assertVersion(context, groupRuleVersion(rule));
    assertMayPlace(context, rule.targetGroupIds);
    await assertMayPlaceAnew(tx, context);
    await GROUP_RULES.remove(tx, context.orgId, id);
    await renewVersion(tx, context.orgId);
    const payload: ReleasePayload = { ruleId: id, groupIds: rule.targetGroupIds, removeUsers };
    await enqueue(tx, context.orgId, {
      kind: RELEASE_MEMBERS,
      payload: { ...payload },
      runAt: context.now,
      dedupeKey: id,
    });
    record({ eventType: 'group.user_membership.rule.delete', target: [groupRuleChange([rule, null])] });
  });
}
