import { rolesOfHolder } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { apiError, invalid, notFound } from '../../../kernel/errors/errors.ts';
import type { Db, Tx } from '../../../platform/postgres/index.ts';
import { findGroups, groupIdsOfReach, lockGroup } from '../../groups/index.ts';
import { asksForGroups, compiledRules } from '../evaluation/compiled-group-rule.ts';
import { findRuleState } from '../evaluation/state-store.ts';
import type { GroupRule } from '../group-rule.ts';
import { findGroupRule, findGroupRuleForUpdate } from '../store.ts';
import type { GroupNames } from '../wire.ts';

const TYPE = 'GroupRule';

/** 404 E0000007 when the org has none of this id. */
export async function readRule(db: Db, context: Context, id: string): Promise<GroupRule> {
  const rule = await findGroupRule(db, context.orgId, id);
  if (rule === undefined) throw notFound(id, TYPE);
  return rule;
}

/** The same, locked until the transaction ends. */
export async function lockRule(tx: Tx, context: Context, id: string): Promise<GroupRule> {
  const rule = await findGroupRuleForUpdate(tx, context.orgId, id);
  if (rule === undefined) throw notFound(id, TYPE);
  return rule;
}

/** Names of the groups that rules assign, of those that there are. */
export async function namesOfTargets(db: Db, context: Context, rules: readonly GroupRule[]): Promise<GroupNames> {
  const ids = [...new Set(rules.flatMap(({ targetGroupIds }) => targetGroupIds))];
  if (ids.length === 0) return new Map();
  const groups = await findGroups(db, context.orgId, ids);
  return new Map(groups.map(({ id, profile }) => [id, profile.name]));
}

/**
 * Who is in these groups is not for callers to change by rules whose own power over users depends on it. A pass runs by
 * itself, later and over everybody: it can't ask of each user whether the caller reached him before, so nothing is set
 * going that could move one in or out (security list 97). 403 E0000006.
 */
export function assertMayPlace(context: Context, groupIds: readonly string[]): void {
  const reached = groupIdsOfReach(context);
  if (groupIds.some((groupId) => reached.has(groupId))) throw apiError('E0000006');
}

/**
 * The same of what follows when memberships, names of groups, or groups themselves change for many at once: any of the
 * active rules that ask for groups may then say something else, one after another. To be asked under the lock of the
 * rules, before one of them or their version changes: what is compiled is kept under the one that still holds.
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
 * Groups that a rule may assign, kept from being deleted until the transaction ends: made here, and without roles,
 * which nobody gets by what he writes into his profile. 400 E0000001; 403 E0000006 where the caller's own roles reach
 * users by them.
 */
export async function lockTargets(tx: Tx, context: Context, groupIds: readonly string[]): Promise<void> {
  const refused = (cause: string) => invalid('groupIds', `groupIds: ${cause}`);
  if (groupIds.length === 0) throw refused('The field cannot be left blank');
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

/**
 * Groups whose members a rule may leave out. 400 E0000001 for one that there is none of, and for the one of everyone.
 */
export async function assertExcludable(tx: Tx, context: Context, groupIds: readonly string[]): Promise<void> {
  if (groupIds.length === 0) return;
  const groups = await findGroups(tx, context.orgId, groupIds);
  const known = new Map(groups.map((group) => [group.id, group]));
  for (const groupId of groupIds) {
    const type = known.get(groupId)?.type;
    if (type === undefined) throw invalid('groups', `groups: There is no group ${groupId}.`);
    if (type === 'BUILT_IN') throw invalid('groups', 'groups: Leaving everyone out would leave nobody.');
  }
}
