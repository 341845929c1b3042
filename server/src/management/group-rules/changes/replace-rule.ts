import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Work } from '../../../system-log/index.ts';
import type { GroupRuleInput } from '../contract.ts';
import { lockRulesExclusively } from '../evaluation/state-store.ts';
import type { GroupRule } from '../group-rule.ts';
import { groupRuleLifecycle } from '../lifecycle.ts';
import { readName } from '../rules.ts';
import { updateGroupRule } from '../store.ts';
import { groupRuleChange, groupRuleVersion } from '../wire.ts';
import { assertConditions, readInput } from './create-rule.ts';
import { assertMayPlace, lockRule } from './guards.ts';

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((id) => other.includes(id));

/** Replaces the name, expression and exclusions of an INACTIVE rule. */
export async function replaceGroupRule(
  work: Work,
  context: Context,
  id: string,
  input: GroupRuleInput,
): Promise<GroupRule> {
  const read = readInput(context, input);
  return work(context, async (tx, record) => {
    await lockRulesExclusively(tx, context.orgId);
    const before = await lockRule(tx, context, id);
    assertVersion(context, groupRuleVersion(before));
    assertMayPlace(context, before.targetGroupIds);
    if (!groupRuleLifecycle.allows(before.status, 'update')) {
      throw invalid('status', `A rule must be INACTIVE to be changed. This one is ${before.status}.`);
    }
    if (!isSameSet(read.targetGroupIds, before.targetGroupIds)) {
      throw invalid('groupIds', 'cannot be changed.');
    }
    await assertConditions(tx, context, read);
    const { targetGroupIds } = before;
    const lastUpdatedAt = wholeSecond(context.now);
    const name = readName(input.name, before.name);
    const after = { ...before, ...read, name, targetGroupIds, lastUpdatedAt, revision: before.revision + 1 };
    const target = groupRuleChange([before, after]);
    if (target.changeDetails === undefined) return before;
    await updateGroupRule(tx, context.orgId, after);
    record({ eventType: groupRuleLifecycle.transition('update').event, target: [target] });
    return after;
  });
}
