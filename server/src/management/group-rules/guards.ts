import { grantOf, PERMISSIONS, rolesOfHolder } from '../../access/index.ts';
import type { Context } from '../../kernel/context.ts';
import { apiError, invalid, notFound } from '../../kernel/errors.ts';
import type { Grant } from '../../platform/http/index.ts';
import type { Db, Tx } from '../../platform/postgres/index.ts';
import { findGroups, lockGroup } from '../groups/index.ts';
import type { GroupRule } from './group-rule.ts';
import { findGroupRule, findGroupRuleForUpdate } from './store.ts';
import type { GroupNames } from './wire.ts';

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

/** What a role may do to users, beyond looking at them. */
const USER_CHANGES = PERMISSIONS.filter((name) => name.startsWith('users.') && name !== 'users.read');

/** Roles of the caller that reach users by their groups and so would reach those whom a rule puts in or takes out. */
function assertReachesNoFurther(context: Context, groupIds: readonly string[], change: 'add' | 'remove'): void {
  const widens = (grant: Grant | null): boolean => {
    if (grant?.kind !== 'some') return false;
    const reached = change === 'add' ? grant.groupIds : grant.allBut.flatMap((exclusion) => exclusion.groupIds);
    return groupIds.some((groupId) => reached.includes(groupId));
  };
  if (context.principal.kind === 'system') return;
  if (USER_CHANGES.some((permission) => widens(grantOf(context.roles, permission)))) throw apiError('E0000006');
}

/** 403 E0000006 where taking users out of these groups would give the caller power over them. */
export const assertMayRelease = (context: Context, groupIds: readonly string[]): void =>
  assertReachesNoFurther(context, groupIds, 'remove');

/**
 * Groups that a rule may assign, kept from being deleted until the transaction ends: made here, and without roles,
 * which nobody gets by what he writes into his profile. 400 E0000001; 403 E0000006 where the caller's own roles would
 * reach further by it (security list 97).
 */
export async function lockTargets(tx: Tx, context: Context, groupIds: readonly string[]): Promise<void> {
  const refused = (cause: string) => invalid('groupIds', `groupIds: ${cause}`);
  if (groupIds.length === 0) throw refused('The field cannot be left blank');
  assertReachesNoFurther(context, groupIds, 'add');
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
