import type { Context } from '../../../kernel/context.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import { isShared, needOwnTransaction, type Tx } from '../../../platform/postgres/index.ts';
import type { Record } from '../../../system-log/index.ts';
import { addMembers, assertReachesNoFurther, removeMembers } from '../../groups/index.ts';
import type { RuleMembership } from '../rules.ts';
import { ruleTarget } from '../wire.ts';
import { type CompiledRules, compiledRules } from './compiled-group-rule.ts';
import { evaluateRulesForUsers, type RuleResults } from './evaluate-rules-for-users.ts';
import { lockUsers } from './evaluation-store.ts';
import { foreseeRules, lockRulesShared } from './state-store.ts';

export interface EvaluationCounts {
  readonly added: number;
  readonly removed: number;
}

/** The maximum number of users who are locked and evaluated together. */
export const USERS_AT_ONCE = 500;
/**
 * The maximum number of failure events for users who are evaluated together. A costly rule could fail for all of them.
 */
const MAXIMUM_TOLD_FAILURES = 10;

const NOTHING: EvaluationCounts = { added: 0, removed: 0 };

/** The list is sorted by group, because groups are locked in that order. */
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

async function apply(tx: Tx, context: Context, record: Record, results: RuleResults): Promise<EvaluationCounts> {
  let [added, removed] = [0, 0];
  // Additions come first, so a membership that one rule takes over from another neither ends nor begins.
  for (const [{ groupId, ruleId }, userIds] of pairsOf(results.added)) {
    added += (await addMembers(tx, context, record, groupId, userIds, { kind: 'rule', ruleId })).length;
  }
  for (const [{ groupId, ruleId }, userIds] of pairsOf(results.removed)) {
    removed += (await removeMembers(tx, context, record, groupId, userIds, { kind: 'rule', ruleId })).length;
  }
  for (const { rule, userId } of results.exhausted.slice(0, MAXIMUM_TOLD_FAILURES)) {
    record({
      eventType: 'group.user_membership.rule.error',
      target: [ruleTarget(rule)],
      outcome: { result: 'FAILURE', reason: 'EXPRESSION_TOO_COSTLY' },
      debugData: { userId },
    });
  }
  return { added, removed };
}

/**
 * Takes the shared lock early, like `foreseeRules`, for a user who is being created. Rules may add the user to groups,
 * so the creation needs a transaction of its own if the org has active rules.
 */
export const foreseeRulesForNewUser = (tx: Tx, orgId: OrgId): void =>
  foreseeRules(tx, orgId, async (state) => {
    if (!isShared(tx) || state === undefined) return;
    const { rules } = await compiledRules(tx, orgId, state.version);
    if (rules.length > 0) needOwnTransaction(tx);
  });

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
    const results = await evaluateRulesForUsers(tx, context, compiled, users);
    // Changes to memberships lock groups in a fixed order. Use cases that share a transaction cannot keep this order.
    if (results.added.length + results.removed.length > 0) needOwnTransaction(tx);
    // By changing a profile, callers can make a rule add or remove a member. Their reach is checked as if they had
    // changed the membership by hand.
    if (!isNew) {
      await assertReachesNoFurther(tx, context, results.added, 'add');
      await assertReachesNoFurther(tx, context, results.removed, 'remove');
    }
    const { added, removed } = await apply(tx, context, record, results);
    counts = { added: counts.added + added, removed: counts.removed + removed };
  }
  return counts;
}

/**
 * With `whenGroupsMatter`, the users are evaluated only if rules depend on memberships. For users who are being
 * created, `isNew` skips the check of the caller's reach.
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
