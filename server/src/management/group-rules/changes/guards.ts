import { rolesOfHolder } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { apiError, invalid, notFound } from '../../../kernel/errors/errors.ts';
import { required } from '../../../kernel/errors/field-errors.ts';
import type { Problem } from '../../../kernel/errors/problems.ts';
import type { Db, Tx } from '../../../platform/postgres/index.ts';
import { findGroups, groupIdsOfReach, lockGroup } from '../../groups/index.ts';
import { asksForGroups, compiledRules } from '../evaluation/compiled-group-rule.ts';
import { findRuleState } from '../evaluation/state-store.ts';
import type { GroupRule } from '../group-rule.ts';
import { GROUP_RULES } from '../store.ts';
import type { GroupNames } from '../wire.ts';

const TYPE = 'GroupRule';

export async function readRule(db: Db, context: Context, id: string): Promise<GroupRule> {
  const rule = await GROUP_RULES.find(db, context.orgId, id);
  if (rule === undefined) throw notFound(id, TYPE);
  return rule;
}

export async function lockRule(tx: Tx, context: Context, id: string): Promise<GroupRule> {
  const rule = await GROUP_RULES.findForUpdate(tx, context.orgId, id);
  if (rule === undefined) throw notFound(id, TYPE);
  return rule;
}

/** Leaves out groups that no longer exist. */
export async function namesOfTargets(db: Db, context: Context, rules: readonly GroupRule[]): Promise<GroupNames> {
  const ids = [...new Set(rules.flatMap(({ targetGroupIds }) => targetGroupIds))];
  if (ids.length === 0) return new Map();
  const groups = await findGroups(db, context.orgId, ids);
  return new Map(groups.map(({ id, profile }) => [id, profile.name]));
}

/**
 * Throws 403 E0000006 if the caller's grants to change some users cover or exclude the members of one of the groups,
 * because the rule would then extend the caller's own reach. The evaluation of all users cannot check the caller.
 */
export function assertMayPlace(context: Context, groupIds: readonly string[]): void {
  const reached = groupIdsOfReach(context);
  if (groupIds.some((groupId) => reached.has(groupId))) throw apiError('E0000006');
}

/**
 * Applies `assertMayPlace` to the target groups of all active rules that depend on groups. Call this under the lock on
 * the rules, before a rule or the version changes, because compiled rules are cached by version.
 */
export async function assertMayPlaceAnew(tx: Tx, context: Context): Promise<void> {
  if (groupIdsOfReach(context).size === 0) return;
  const state = await findRuleState(tx, context.orgId);
  if (state === undefined) return;
  const { rules } = await compiledRules(tx, context.orgId, state.version);
  const groupIds = rules.filter(asksForGroups).flatMap(({ targetGroupIds }) => targetGroupIds);
  assertMayPlace(context, groupIds);
}

/**
 * Locks the groups that a rule assigns, so that they cannot be deleted. A rule must not give roles, because users could
 * gain one by editing their own profile.
 */
export async function lockTargets(tx: Tx, context: Context, groupIds: readonly string[]): Promise<void> {
  const refused = (cause: Problem) => invalid('groupIds', cause);
  if (groupIds.length === 0) throw required('groupIds');
  assertMayPlace(context, groupIds);
  for (const groupId of groupIds.toSorted()) {
    const group = await lockGroup(tx, context.orgId, groupId);
    if (group === undefined) throw refused(`There is no group ${groupId}.`);
    if (group.type !== 'NATIVE_GROUP') throw refused(`Nobody can be assigned to the group ${groupId} by a rule.`);
    if ((await rolesOfHolder(tx, context.orgId, groupId)).length > 0) {
      throw refused(`The group ${groupId} gives its members administrator roles, which no rule may do.`);
    }
  }
}

export async function assertExcludable(tx: Tx, context: Context, groupIds: readonly string[]): Promise<void> {
  if (groupIds.length === 0) return;
  const groups = await findGroups(tx, context.orgId, groupIds);
  const known = new Map(groups.map((group) => [group.id, group]));
  for (const groupId of groupIds) {
    const type = known.get(groupId)?.type;
    if (type === undefined) throw invalid('groups', `There is no group ${groupId}.`);
    if (type === 'BUILT_IN') throw invalid('groups', 'must not exclude everyone.');
  }
}
