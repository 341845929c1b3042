import type { Context } from '../../../kernel/context.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { JsonObject, NewEvent, Record } from '../../../system-log/index.ts';
import { membershipsOf } from '../../groups/index.ts';
import { findUserById, type UserRow } from '../../users/index.ts';
import { gainedBy, lostBy } from '../groups/membership-store.ts';
import { type AssignableApp, findAssignableApps } from '../links/app-store.ts';
import { appsOfBuiltInGroup, appsOfUserOfAnyStatus } from '../links/effective-store.ts';
import { nameByTemplate } from '../names/user-names.ts';
import { findAppUsersOfUser, userNameOf } from '../users/app-user.ts';
import { removeOwnAssignments, removeOwnAssignmentsOfUser } from '../users/user-store.ts';
import { assignmentTargets, renamedTargets } from './change-details.ts';
import { recordAccessChange, recordAccessChanges, recordedAssignmentsOf } from './record-access-changes.ts';

export async function recordGainedApps(
  tx: Tx,
  context: Context,
  events: readonly NewEvent[],
  record: Record,
): Promise<void> {
  const pairs = await gainedBy(tx, context.orgId, membershipsOf(events));
  await recordAccessChanges(tx, context, record, 'gained', pairs);
}

/** Reacts to users who left groups: records the apps that they lost, and deletes their stored data in those apps. */
export async function recordLostApps(
  tx: Tx,
  context: Context,
  events: readonly NewEvent[],
  record: Record,
): Promise<void> {
  const pairs = await lostBy(tx, context.orgId, membershipsOf(events));
  await recordAccessChanges(tx, context, record, 'lost', pairs);
  if (pairs.length > 0) await removeOwnAssignments(tx, context.orgId, pairs);
}

const userIdOf = ({ target }: NewEvent): string | undefined => target?.find(({ type }) => type === 'User')?.id;

async function userAndApps(
  tx: Tx,
  { orgId }: Context,
  event: NewEvent,
  appIdsOf: (userId: string) => Promise<readonly string[]>,
): Promise<{ user: UserRow; apps: readonly AssignableApp[] } | null> {
  const userId = userIdOf(event);
  const appIds = userId === undefined ? [] : await appIdsOf(userId);
  if (userId === undefined || appIds.length === 0) return null;
  const user = await findUserById(tx, orgId, userId);
  return user === undefined ? null : { user, apps: await findAssignableApps(tx, orgId, appIds) };
}

/** Reacts to new users: records that they gained the apps of the built-in group, to which everyone belongs. */
export async function recordAppsOfNewUsers(
  tx: Tx,
  context: Context,
  events: readonly NewEvent[],
  record: Record,
): Promise<void> {
  const appIds = await appsOfBuiltInGroup(tx, context.orgId);
  const userIds = events.flatMap((event) => userIdOf(event) ?? []);
  const pairs = userIds.flatMap((userId) => appIds.map((appId) => ({ appId, userId })));
  await recordAccessChanges(tx, context, record, 'gained', pairs);
}

/** Reacts to the activation of a user: records that a formerly deactivated user regained the apps of their groups. */
export async function restoreAppAssignments(tx: Tx, context: Context, event: NewEvent, record: Record): Promise<void> {
  const wasDeactivated = event.target?.some(({ changeDetails }) => changeDetails?.from['status'] === 'DEPROVISIONED');
  if (wasDeactivated !== true) return;
  const found = await userAndApps(tx, context, event, (id) => appsOfUserOfAnyStatus(tx, context.orgId, id));
  if (found === null) return;
  for (const app of found.apps) recordAccessChange(context, record, 'gained', { app, user: found.user });
}

/** Reacts to a deactivation: records the loss of all assigned apps, and deletes the user's stored data in them. */
export async function removeAppAssignments(tx: Tx, context: Context, event: NewEvent, record: Record): Promise<void> {
  const { orgId } = context;
  const found = await userAndApps(tx, context, event, (id) => appsOfUserOfAnyStatus(tx, orgId, id));
  if (found === null) return;
  const { apps, user } = found;
  for (const { app, own } of await findAppUsersOfUser(tx, orgId, user, apps)) {
    const told = { app, user, own, scope: own?.scope ?? 'GROUP' } as const;
    const eventType = 'application.user_membership.remove';
    record({ eventType, target: assignmentTargets(orgId, [told, null]) });
  }
  await removeOwnAssignmentsOfUser(tx, orgId, user.id);
}

/** Collects the former values of the attributes that an update changed, by user id. */
function formerValues(events: readonly NewEvent[]): ReadonlyMap<string, JsonObject> {
  const users = events.flatMap(({ target = [] }) => target.filter(({ type }) => type === 'User'));
  return new Map(
    users.flatMap(({ changeDetails, id }) => (changeDetails === undefined ? [] : [[id, changeDetails.from]])),
  );
}

/** Reacts to changed profiles: records users' new names in apps whose templates use the changed attributes. */
export async function recordChangedAppUserNames(
  tx: Tx,
  context: Context,
  events: readonly NewEvent[],
  record: Record,
): Promise<void> {
  const former = formerValues(events);
  for (const told of await recordedAssignmentsOf(tx, context.orgId, [...former.keys()])) {
    const { app, own, user } = told;
    const name = own?.userName ?? nameByTemplate(app.userNameTemplate, { ...user.profile, ...former.get(user.id) });
    if (name === userNameOf(told)) continue;
    record({
      eventType: 'application.user_membership.change_username',
      target: renamedTargets(context.orgId, told, name),
    });
  }
}
