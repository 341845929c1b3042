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

/** 404 E0000007 when the org has none of this id. */
export async function readRule(db: Db, context: Context, id: string): Promise<GroupRule> {
  const rule = await GROUP_RULES.find(db, context.orgId, id);
  if (rule === undefined) throw notFound(id, TYPE);
  return rule;
}

/** Returns the rule, locked until the transaction ends. 404 E0000007. */
export async function lockRule(tx: Tx, context: Context, id: string): Promise<GroupRule> {
  const rule = await GROUP_RULES.findForUpdate(tx, context.orgId, id);
  if (rule === undefined) throw notFound(id, TYPE);
  return rule;
}

/** Finds the names of the groups that rules assign, as far as they exist. */
export async function namesOfTargets(db: Db, context: Context, rules: readonly GroupRule[]): Promise<GroupNames> {
  const ids = [...new Set(rules.flatMap(({ targetGroupIds }) => targetGroupIds))];
  if (ids.length === 0) return new Map();
  const groups = await findGroups(db, context.orgId, ids);
  return new Map(groups.map(({ id, profile }) => [id, profile.name]));
}

/**
 * 403 E0000006 for groups on which the caller's own power over users depends: a pass over all users runs later and
 * can't check for each whether the caller reached that user before, so the caller may not start one that could move
 * users in or out (security list 97).
 */
export function assertMayPlace(context: Context, groupIds: readonly string[]): void {
  const reached = groupIdsOfReach(context);
  if (groupIds.some((groupId) => reached.has(groupId))) throw apiError('E0000006');
}

/**
 * Applies the same check to the consequences when memberships or groups change for many users together: any active rule
 * that depends on groups may then give another result. Call this under the lock of the rules, before one of them or
 * their version changes, because compiled rules are cached under the current version.
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
 * Locks the groups that a rule assigns against deletion until the transaction ends. They must be native and without
 * roles, which nobody may gain by writing their own profile. 400 E0000001; 403 E0000006 if the caller's own roles reach
 * users by them.
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

/** 400 E0000001 for unknown groups and for Everyone, whose members a rule can't exclude. */
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
