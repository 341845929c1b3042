import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { type RoleAssignment, readAssignments, readAssignmentsByGroups, type StandardAssignment } from '../store.ts';
import type { AssigneeKind } from './assignee-store.ts';
import { getAssignee } from './assignees.ts';

/** Lists the roles of an assignee, including those of a user's groups. */
export async function listRoleAssignments(
  db: Db,
  context: Context,
  kind: AssigneeKind,
  assigneeId: string,
): Promise<readonly RoleAssignment[]> {
  const [own, byGroups] = await Promise.all([
    readAssignments(db, context.orgId, kind, assigneeId),
    kind === 'USER' ? readAssignmentsByGroups(db, context.orgId, assigneeId) : [],
    getAssignee(db, context, kind, assigneeId),
  ]);
  return [...own, ...byGroups];
}

/** Returns one assignment, preferably a direct one. */
export async function getRoleAssignment(
  db: Db,
  context: Context,
  kind: AssigneeKind,
  assigneeId: string,
  assignmentId: string,
): Promise<RoleAssignment> {
  const assignments = await listRoleAssignments(db, context, kind, assigneeId);
  const assignment = assignments.find(({ id }) => id === assignmentId);
  if (assignment === undefined) throw notFound(assignmentId, 'RoleAssignment');
  return assignment;
}

/** Returns a standard role that the assignee holds directly. */
export async function getOwnStandardRole(
  db: Db,
  context: Context,
  kind: AssigneeKind,
  assigneeId: string,
  assignmentId: string,
): Promise<StandardAssignment> {
  await getAssignee(db, context, kind, assigneeId);
  const own = await readAssignments(db, context.orgId, kind, assigneeId);
  const assignment = own.find(({ id }) => id === assignmentId);
  if (assignment === undefined || assignment.custom !== null) throw notFound(assignmentId, 'RoleAssignment');
  return assignment;
}
