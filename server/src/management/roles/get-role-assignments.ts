import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { findUserById } from '../users/index.ts';
import { type RoleAssignment, readRoleAssignments } from './store.ts';

/** Roles of a user of the org. 404 E0000007. */
export async function listRoleAssignments(db: Db, context: Context, userId: string): Promise<RoleAssignment[]> {
  const [user, assignments] = await Promise.all([
    findUserById(db, context.orgId, userId),
    readRoleAssignments(db, context.orgId, userId),
  ]);
  if (user === undefined) throw notFound(userId, 'User');
  return assignments;
}

/** One assignment of a user. 404 E0000007. */
export async function getRoleAssignment(
  db: Db,
  context: Context,
  userId: string,
  roleAssignmentId: string,
): Promise<RoleAssignment> {
  const assignments = await listRoleAssignments(db, context, userId);
  const assignment = assignments.find(({ id }) => id === roleAssignmentId);
  if (assignment === undefined) throw notFound(roleAssignmentId, 'RoleAssignment');
  return assignment;
}
