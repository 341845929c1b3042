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

/**
 * Refuses groups outside the caller's grant before any look-up: the caller must not learn which ids exist. 403
 * E0000006.
 */
export function assertCovered(grant: Grant, groupId: string): void {
  if (!coversGroup(grant, groupId)) throw apiError('E0000006');
}

/**
 * Returns a group that the caller may read. 403 E0000006 outside its grant, 404 E0000007 when the org has none of this
 * id.
 */
export async function readGroup(db: Db, context: Context, grant: Grant, groupId: string): Promise<GroupRow> {
  assertCovered(grant, groupId);
  const group = await findGroup(db, context.orgId, groupId);
  if (group === undefined) throw notFound(groupId, 'UserGroup');
  return group;
}

const isSystem = ({ principal }: Context): boolean => principal.kind === 'system';

const NOTHING: Grant = { kind: 'ids', ids: [] };

/**
 * The caller's grant for a kind of resource other than the route's; among users, it includes the caller. Memberships
 * are shown with the group, but users and apps only with a permission for them.
 */
export function visibleTo(context: Context, permission: 'users.read' | 'groups.read' | 'apps.read'): Grant {
  if (isSystem(context)) return { kind: 'all' };
  return decide({ userId: userIdOf(context.principal), roles: context.roles }, permission) ?? NOTHING;
}

/** 403 E0000006 for a user whom the caller may not see, whether or not the org has one of this id. */
export async function assertVisibleUser(tx: Tx, context: Context, userId: string): Promise<void> {
  if (!(await coversUser(tx, context.orgId, visibleTo(context, 'users.read'), userId))) throw apiError('E0000006');
}

/** 403 E0000006 for Everyone and for groups of an app. */
export function assertOurs(group: GroupRow): void {
  if (isOursToChange(group.type)) return;
  const keeper = group.type === 'BUILT_IN' ? 'this service' : 'the app that it comes from';
  throw apiError('E0000006', { causes: [`group: It is managed by ${keeper} and cannot be changed.`] });
}

/**
 * 403 E0000006 unless the caller holds every role that the group holds, because changing its members gives or takes
 * these roles (security list 97).
 */
export async function assertHoldsRolesOf(tx: Tx, context: Context, groupId: string): Promise<void> {
  if (isSystem(context) || holdsEverything(context.roles)) return;
  if (!mayActOn(context.roles, await rolesOfHolder(tx, context.orgId, groupId))) throw apiError('E0000006');
}

/** Permissions that change users, rather than only show them. */
const USER_CHANGES = PERMISSIONS.filter((name) => name.startsWith('users.') && name !== 'users.read');

/** Grants that reach users by groups, or all users except those of some groups. */
const narrowGrants = (context: Context): readonly SomeGrant[] =>
  USER_CHANGES.flatMap((permission) => {
    const grant = grantOf(context.roles, permission);
    return grant?.kind === 'some' ? [grant] : [];
  });

/**
 * Groups whose members the caller's roles reach, or exclude: joining or leaving one puts a user under the caller's
 * power, or out of it.
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
 * 403 E0000006 if a change of membership would extend the caller's reach: nobody may gain power over users by adding
 * them to a group that a role covers, or removing them from one that it excludes. Call this before anything, including
 * a rule, moves users.
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

/** 403 E0000006 if deleting a group would end an exclusion and extend the caller's reach. */
export function assertLeavesNobodyOut(context: Context, groupId: string): void {
  if (!isSystem(context) && narrowGrants(context).some((grant) => leavesOut(grant, groupId)))
    throw apiError('E0000006');
}

/** The caller's grant for memberships on routes that are about something else; null when there is none. */
export function membershipGrantOf(context: Context): Grant | null {
  if (isSystem(context)) return { kind: 'all' };
  if (lacksScope({ scopes: context.scopes }, ['groups.manage'])) return null;
  return grantOf(context.roles, 'groups.members.manage');
}
