import {
  coversGroup,
  coversUser,
  decide,
  grantOf,
  holdsEverything,
  lacksScope,
  mayActOn,
  PERMISSIONS,
  rolesOfHolder,
} from '../../../access/index.ts';
import { type Context, userIdOf } from '../../../kernel/context.ts';
import { apiError, notFound } from '../../../kernel/errors/errors.ts';
import type { Grant, SomeGrant } from '../../../platform/http/index.ts';
import type { Db, Tx } from '../../../platform/postgres/index.ts';
import { isOursToChange } from '../rules.ts';
import { findGroup } from '../store.ts';
import type { GroupRow } from './group-row.ts';

/** Refuses before any look-up what lies outside the caller's grant: it must not learn which ids exist. 403 E0000006. */
export function assertCovered(grant: Grant, groupId: string): void {
  if (!coversGroup(grant, groupId)) throw apiError('E0000006');
}

/** A group that the caller may read. 403 E0000006 outside its grant, 404 E0000007 when the org has none of this id. */
export async function readGroup(db: Db, context: Context, grant: Grant, groupId: string): Promise<GroupRow> {
  assertCovered(grant, groupId);
  const group = await findGroup(db, context.orgId, groupId);
  if (group === undefined) throw notFound(groupId, 'UserGroup');
  return group;
}

const isSystem = ({ principal }: Context): boolean => principal.kind === 'system';

const NOTHING: Grant = { kind: 'ids', ids: [] };

/**
 * What the caller's roles let it see of another kind of resource than a route is about: of users, itself too. Who is in
 * a group is told with the group; what a user or an app is, only by a permission for those.
 */
export function visibleTo(context: Context, permission: 'users.read' | 'groups.read' | 'apps.read'): Grant {
  if (isSystem(context)) return { kind: 'all' };
  return decide({ userId: userIdOf(context.principal), roles: context.roles }, permission) ?? NOTHING;
}

/** 403 E0000006 for a user whom the caller may not see, whether the org has one of this id or not. */
export async function assertVisibleUser(tx: Tx, context: Context, userId: string): Promise<void> {
  if (!(await coversUser(tx, context.orgId, visibleTo(context, 'users.read'), userId))) throw apiError('E0000006');
}

/** 403 E0000006 for the group of everyone and for those that an app keeps. */
export function assertOurs(group: GroupRow): void {
  if (isOursToChange(group.type)) return;
  const keeper = group.type === 'BUILT_IN' ? 'this service' : 'the app that it comes from';
  throw apiError('E0000006', { causes: [`group: It is kept by ${keeper} and can't be changed.`] });
}

/**
 * Whoever changes who is in a group gives or takes the roles that the group holds, and must hold all of them (security
 * list 97). 403 E0000006.
 */
export async function assertHoldsRolesOf(tx: Tx, context: Context, groupId: string): Promise<void> {
  if (isSystem(context) || holdsEverything(context.roles)) return;
  if (!mayActOn(context.roles, await rolesOfHolder(tx, context.orgId, groupId))) throw apiError('E0000006');
}

/** What a role may do to users, beyond looking at them. */
const USER_CHANGES = PERMISSIONS.filter((name) => name.startsWith('users.') && name !== 'users.read');

/** Of the roles that reach users by groups, or all but those of some groups. */
const narrowGrants = (context: Context): readonly SomeGrant[] =>
  USER_CHANGES.flatMap((permission) => {
    const grant = grantOf(context.roles, permission);
    return grant?.kind === 'some' ? [grant] : [];
  });

/**
 * Groups by whose members the caller's roles reach users, or leave some out: whoever joins or leaves one of them comes
 * under its power or out of it.
 */
export const groupIdsOfReach = (context: Context): ReadonlySet<string> =>
  new Set(
    (isSystem(context) ? [] : narrowGrants(context)).flatMap(({ allBut, groupIds }) => [
      ...groupIds,
      ...allBut.flatMap((exclusion) => exclusion.groupIds),
    ]),
  );

const leavesOut = ({ allBut }: SomeGrant, groupId: string): boolean =>
  allBut.some((exclusion) => exclusion.groupIds.includes(groupId));

/**
 * Roles that reach users by their groups would reach further by a change of membership: nobody gets power over a user
 * by taking him into a group of his own, or out of one that the role leaves out. To be asked before it happens, of
 * whatever moves users, rules too. 403 E0000006.
 */
export async function assertReachesNoFurther(
  tx: Tx,
  context: Context,
  moves: readonly { readonly groupId: string; readonly userId: string }[],
  change: 'add' | 'remove',
): Promise<void> {
  for (const grant of isSystem(context) ? [] : narrowGrants(context)) {
    for (const { groupId, userId } of moves) {
      const widens = change === 'add' ? grant.groupIds.includes(groupId) : leavesOut(grant, groupId);
      if (widens && !(await coversUser(tx, context.orgId, grant, userId))) throw apiError('E0000006');
    }
  }
}

/** A group that is gone leaves nobody out of a role any more. 403 E0000006 to whoever would reach further by it. */
export function assertLeavesNobodyOut(context: Context, groupId: string): void {
  if (!isSystem(context) && narrowGrants(context).some((grant) => leavesOut(grant, groupId)))
    throw apiError('E0000006');
}

/** What the caller may do to memberships where a route is about something else; null: nothing. */
export function membershipGrantOf(context: Context): Grant | null {
  if (isSystem(context)) return { kind: 'all' };
  if (lacksScope({ scopes: context.scopes }, ['groups.manage'])) return null;
  return grantOf(context.roles, 'groups.members.manage');
}
