import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { type ClientRoleAssignment, findClientRoles } from './client-role-store.ts';
import { findApp } from './store.ts';

/** Roles of a client of the org. 404 E0000007. */
export async function listClientRoles(db: Db, context: Context, clientId: string): Promise<ClientRoleAssignment[]> {
  const [app, assignments] = await Promise.all([
    findApp(db, context.orgId, clientId),
    findClientRoles(db, context.orgId, clientId),
  ]);
  if (app === undefined) throw notFound(clientId, 'AppInstance');
  return assignments;
}

/** One assignment of a client. 404 E0000007. */
export async function getClientRole(
  db: Db,
  context: Context,
  clientId: string,
  roleAssignmentId: string,
): Promise<ClientRoleAssignment> {
  const assignments = await listClientRoles(db, context, clientId);
  const assignment = assignments.find(({ id }) => id === roleAssignmentId);
  if (assignment === undefined) throw notFound(roleAssignmentId, 'RoleAssignment');
  return assignment;
}
