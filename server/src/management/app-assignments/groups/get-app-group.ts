import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import type { Grant } from '../../../platform/http/index.ts';
import { readableApp } from '../guards.ts';
import type { AppAssignmentsPorts } from '../ports.ts';
import type { AppGroupPlace } from './assign-group.ts';
import { findGroupAssignment, type GroupAssignment } from './group-store.ts';

export async function getAppGroup(
  { db }: Pick<AppAssignmentsPorts, 'db'>,
  context: Context,
  grant: Grant,
  { appId, groupId }: AppGroupPlace,
): Promise<GroupAssignment> {
  await readableApp(db, context, grant, appId);
  const assignment = await findGroupAssignment(db, context.orgId, appId, groupId);
  if (assignment === undefined) throw notFound(groupId, 'ApplicationGroupAssignment');
  return assignment;
}
