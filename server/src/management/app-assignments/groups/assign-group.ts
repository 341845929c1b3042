import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Record } from '../../../system-log/index.ts';
import { findGroup, type GroupRow } from '../../groups/index.ts';
import type { AssignGroupInput } from '../contract.ts';
import { groupAssignmentTargets } from '../events/change-details.ts';
import { recordGroupAccessChange } from '../events/record-group-access-change.ts';
import { grantedApp } from '../guards.ts';
import { type AssignableApp, lockAssignableApp } from '../links/app-store.ts';
import type { AppAssignmentsPorts } from '../ports.ts';
import { lockSchema } from '../profiles/app-user-schema.ts';
import type { AppProfile } from '../profiles/profile-rules.ts';
import { appGroupVersion } from '../users/versions.ts';
import {
  findGroupAssignment,
  type GroupAssignment,
  insertGroupAssignment,
  lockMembership,
  makeRoom,
  takenPriorities,
  updateGroupAssignment,
} from './group-store.ts';
import { assertRoom, displacedBy, nextPriority, readPriority } from './priority-rules.ts';

export interface AppGroupPlace {
  readonly appId: AppId;
  readonly groupId: string;
}

export interface LockedGroupAssignment {
  readonly app: AssignableApp;
  readonly group: GroupRow;
  readonly before: GroupAssignment | undefined;
}

/** Locks the app and the group's memberships. */
export async function lockGroupAssignment(
  tx: Tx,
  context: Context,
  grant: Grant,
  { appId, groupId }: AppGroupPlace,
): Promise<LockedGroupAssignment> {
  const { orgId } = context;
  await lockMembership(tx, orgId, groupId);
  const app = grantedApp(await lockAssignableApp(tx, orgId, appId), appId, grant);
  const group = await findGroup(tx, orgId, groupId);
  if (group === undefined) throw notFound(groupId, 'UserGroup');
  return { app, group, before: await findGroupAssignment(tx, orgId, appId, groupId) };
}

/** Null and undefined keep the stored value or, in a new assignment, stand for the default. */
interface WantedAssignment {
  readonly priority: number | null;
  readonly profile: AppProfile | undefined;
}

/**
 * Creates or changes the assignment of a group. If another group has the given priority, the priority of that group,
 * and of those directly after it, rises by one.
 */
export async function settleGroupAssignment(
  tx: Tx,
  context: Context,
  record: Record,
  { app, before, group }: LockedGroupAssignment,
  wanted: WantedAssignment,
): Promise<GroupAssignment> {
  const { orgId } = context;
  const now = wholeSecond(context.now);
  const taken = await takenPriorities(tx, orgId, app.id, group.id);
  const priority = wanted.priority ?? before?.priority ?? nextPriority(taken);
  const profile = wanted.profile ?? before?.profile ?? {};
  (await lockSchema(tx, context, app)).assertGiven(profile, before?.profile ?? {});
  const created = { appId: app.id, groupId: group.id, createdAt: now, revision: 0 };
  const after: GroupAssignment = { ...(before ?? created), priority, profile, lastUpdatedAt: now };
  const target = groupAssignmentTargets([before ?? null, after], group, app);
  if (before !== undefined && target[0].changeDetails === undefined) return before;
  const displaced = displacedBy(priority, taken);
  assertRoom(priority, displaced);
  if (displaced !== null) await makeRoom(tx, orgId, app.id, displaced, { groupId: group.id, priority });
  const write = before === undefined ? insertGroupAssignment : updateGroupAssignment;
  const written = await write(tx, orgId, after);
  if (before === undefined) {
    await recordGroupAccessChange(tx, context, record, 'gained', { app, group, target });
  } else {
    record({ eventType: 'group.application_assignment.update', target });
  }
  return written;
}

export function assignGroup(
  { work }: Pick<AppAssignmentsPorts, 'work'>,
  context: Context,
  grant: Grant,
  place: AppGroupPlace,
  input: AssignGroupInput,
): Promise<GroupAssignment> {
  const priority = readPriority(input.priority);
  return work(context, async (tx, record) => {
    const locked = await lockGroupAssignment(tx, context, grant, place);
    assertVersion(context, locked.before === undefined ? null : appGroupVersion(locked.before));
    const wanted = { priority, profile: input.profile ?? undefined };
    return settleGroupAssignment(tx, context, record, locked, wanted);
  });
}
