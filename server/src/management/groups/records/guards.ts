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

/** Call this before looking the group up, to hide which ids exist. */
export function assertCovered(grant: Grant, groupId: string): void {
  if (!coversGroup(grant, groupId)) throw apiError('E0000006');
}

export async function readGroup(db: Db, context: Context, grant: Grant, groupId: string): Promise<GroupRow> {
  assertCovered(grant, groupId);
  const group = await findGroup(db, context.orgId, groupId);
  if (group === undefined) throw notFound(groupId, 'UserGroup');
  return group;
}

const isSystem = ({ principal }: Context): boolean => principal.kind === 'system';

const NOTHING: Grant = { kind: 'ids', ids: [] };

/**
 * Returns the caller's grant for a permission that the route itself does not check. If there is none, the returned
 * grant covers nothing.
 */
export function visibleTo(context: Context, permission: 'users.read' | 'groups.read' | 'apps.read'): Grant {
  if (isSystem(context)) return { kind: 'all' };
  return decide({ userId: userIdOf(context.principal), roles: context.roles }, permission) ?? NOTHING;
}

export async function assertVisibleUser(tx: Tx, context: Context, userId: string): Promise<void> {
  if (!(await coversUser(tx, context.orgId, visibleTo(context, 'users.read'), userId))) throw apiError('E0000006');
}

/** Refuses changes to Everyone and to groups that come from an app. */
export function assertOurs(group: GroupRow): void {
  if (isOursToChange(group.type)) return;
  const keeper = group.type === 'BUILT_IN' ? 'this service' : 'the app that it comes from';
  throw apiError('E0000006', { causes: [`group: It is managed by ${keeper} and cannot be changed.`] });
}

/**
 * The caller must have all rights of the group's roles, because a change to the members would give or remove these
 * rights.
 */
export async function assertHoldsRolesOf(tx: Tx, context: Context, groupId: string): Promise<void> {
  if (isSystem(context) || holdsEverything(context.roles)) return;
  if (!mayActOn(context.roles, await rolesOfHolder(tx, context.orgId, groupId))) throw apiError('E0000006');
}

const USER_CHANGES = PERMISSIONS.filter((name) => name.startsWith('users.') && name !== 'users.read');

/** Returns the caller's grants to change users, except those that cover all users. */
const narrowGrants = (context: Context): readonly SomeGrant[] =>
  USER_CHANGES.flatMap((permission) => {
    const grant = grantOf(context.roles, permission);
    return grant?.kind === 'some' ? [grant] : [];
  });

/**
 * Returns the ids of the groups whose members are covered by, or excluded from, the caller's grants to change users.
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
 * Callers must not gain power over users by adding them to a group that a role covers. Removing users from a group that
 * a role excludes has the same effect.
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

/** The deletion of a group that a role excludes would extend the caller's reach. */
export function assertLeavesNobodyOut(context: Context, groupId: string): void {
  if (!isSystem(context) && narrowGrants(context).some((grant) => leavesOut(grant, groupId)))
    throw apiError('E0000006');
}

/** Returns the caller's grant to manage memberships, or null if the caller lacks the scope or the permission. */
export function membershipGrantOf(context: Context): Grant | null {
  if (isSystem(context)) return { kind: 'all' };
  if (lacksScope({ scopes: context.scopes }, ['groups.manage'])) return null;
  return grantOf(context.roles, 'groups.members.manage');
}
