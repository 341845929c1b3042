import { ROLES } from '../../access/index.ts';
import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors.ts';
import type { Work } from '../../system-log/index.ts';
import { roleChange } from '../roles/index.ts';
import { findClientRoles, removeClientRole } from './client-role-store.ts';
import { lockApp } from './lock-app.ts';
import { appTarget } from './target.ts';

/** Takes a role from a client, whose tokens are without it at once. 404 E0000007; 403 E0000006 of a greater one. */
export function unassignClientRole(
  work: Work,
  context: Context,
  clientId: string,
  roleAssignmentId: string,
): Promise<void> {
  return work(context, async (tx, record) => {
    const app = await lockApp(tx, context, clientId);
    const assignments = await findClientRoles(tx, context.orgId, clientId);
    const assignment = assignments.find(({ id }) => id === roleAssignmentId);
    if (assignment === undefined) throw notFound(roleAssignmentId, 'RoleAssignment');
    const { roleType } = assignment;
    await removeClientRole(tx, context.orgId, clientId, roleAssignmentId);
    const debugData = { privilegeRevoked: ROLES[roleType].label, roleType };
    const changeDetails = roleChange(
      assignments,
      assignments.filter(({ id }) => id !== roleAssignmentId),
    );
    const target = [{ ...appTarget(app), changeDetails }];
    record({ eventType: 'app.oauth2.client.privilege.revoke', target, debugData });
  });
}
