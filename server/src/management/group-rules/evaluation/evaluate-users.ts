import type { Context } from '../../../kernel/context.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Record } from '../../../system-log/index.ts';
import { addMembers, assertReachesNoFurther, removeMembers } from '../../groups/index.ts';
import type { RuleMembership } from '../rules.ts';
import { ruleTarget } from '../wire.ts';
import { type CompiledRules, compiledRules } from './compiled-group-rule.ts';
import { lockUsers } from './evaluation-store.ts';
import { type Judgement, judgeUsers } from './judge-users.ts';
import { lockRulesShared } from './state-store.ts';

/** How many memberships began and ended. */
export interface EvaluationCounts {
  readonly added: number;
  readonly removed: number;
}

/** Of one set of statements; what is more is judged in turn. */
export const USERS_AT_ONCE = 500;
/** Of one evaluation: whoever writes a rule that costs too much needs to be told, not told a million times. */
const MAXIMUM_TOLD_FAILURES = 10;

const NOTHING: EvaluationCounts = { added: 0, removed: 0 };

/** Users by rule and group, the groups in order: locks of groups are taken in one order by all. */
function pairsOf(memberships: readonly RuleMembership[]): readonly (readonly [RuleMembership, readonly string[]])[] {
  const pairs = new Map<string, { first: RuleMembership; userIds: string[] }>();
  for (const membership of memberships) {
    const name = `${membership.groupId} ${membership.ruleId}`;
    const known = pairs.get(name);
    if (known === undefined) pairs.set(name, { first: membership, userIds: [membership.userId] });
    else known.userIds.push(membership.userId);
  }
  return [...pairs].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, pair]) => [pair.first, pair.userIds]);
}

async function apply(tx: Tx, context: Context, record: Record, judgement: Judgement): Promise<EvaluationCounts> {
  let [added, removed] = [0, 0];
  // First what begins: where one rule takes over from another, the membership neither ends nor begins.
  for (const [{ groupId, ruleId }, userIds] of pairsOf(judgement.added)) {
    added += (await addMembers(tx, context, record, groupId, userIds, { kind: 'rule', ruleId })).length;
  }
  for (const [{ groupId, ruleId }, userIds] of pairsOf(judgement.removed)) {
    removed += (await removeMembers(tx, context, record, groupId, userIds, { kind: 'rule', ruleId })).length;
  }
  for (const { rule, userId } of judgement.exhausted.slice(0, MAXIMUM_TOLD_FAILURES)) {
    record({
      eventType: 'group.user_membership.rule.error',
      target: [ruleTarget(rule)],
      outcome: { result: 'FAILURE', reason: 'EXPRESSION_TOO_COSTLY' },
      debugData: { userId },
    });
  }
  return { added, removed };
}

/** Judges users by rules that are known already, under their locks, and makes their memberships so. */
export async function applyRules(
  tx: Tx,
  context: Context,
  record: Record,
  compiled: CompiledRules,
  userIds: readonly string[],
  isNew = false,
): Promise<EvaluationCounts> {
  const ids = [...new Set(userIds)].toSorted();
  let counts = NOTHING;
  for (let start = 0; start < ids.length; start += USERS_AT_ONCE) {
    const users = await lockUsers(tx, context.orgId, ids.slice(start, start + USERS_AT_ONCE));
    const judgement = await judgeUsers(tx, context, compiled, users);
    // Whoever writes into a profile what a rule asks for moves the user as if by hand (security list 97).
    if (!isNew) {
      await assertReachesNoFurther(tx, context, judgement.added, 'add');
      await assertReachesNoFurther(tx, context, judgement.removed, 'remove');
    }
    const { added, removed } = await apply(tx, context, record, judgement);
    counts = { added: counts.added + added, removed: counts.removed + removed };
  }
  return counts;
}

/**
 * Gives users the groups that the active rules say, in the transaction of what changed of them, and takes those away
 * that they say no more. Repeatable: where nothing is to change it writes nothing. For whoever writes users in numbers
 * without events too (imports). `whenGroupsMatter`: only where rules look at memberships at all. `isNew`: the users are
 * only just made. 403 E0000006 where the caller's own roles would reach further by it.
 */
export async function evaluateUsers(
  tx: Tx,
  context: Context,
  record: Record,
  userIds: readonly string[],
  { isNew = false, whenGroupsMatter = false }: { readonly isNew?: boolean; readonly whenGroupsMatter?: boolean } = {},
): Promise<EvaluationCounts> {
  if (userIds.length === 0) return NOTHING;
  const state = await lockRulesShared(tx, context.orgId);
  if (state === undefined) return NOTHING;
  const compiled = await compiledRules(tx, context.orgId, state.version);
  const isIdle = compiled.rules.length === 0 || (whenGroupsMatter && !compiled.asksGroups);
  return isIdle ? NOTHING : applyRules(tx, context, record, compiled, userIds, isNew);
}
