import { ROLES } from '../../access/index.ts';
import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors.ts';
import type { Work } from '../../system-log/index.ts';
import { findUserForUpdate, userTarget } from '../users/index.ts';
import { roleChange } from './role-change.ts';
import { assertNotLastSuperAdmin } from './roles-of-user.ts';
import { readRoleAssignments, removeRoleAssignment } from './store.ts';

/** Takes a role away. 404 E0000007; 403 E0000006 from the last super administrator of the org. */
export function unassignRole(
  ports: { readonly work: Work },
  context: Context,
  userId: string,
  roleAssignmentId: string,
): Promise<void> {
  return ports.work(context, async (tx, record) => {
    const user = await findUserForUpdate(tx, context.orgId, userId);
    if (user === undefined) throw notFound(userId, 'User');
    const assignments = await readRoleAssignments(tx, context.orgId, userId);
    const assignment = assignments.find(({ id }) => id === roleAssignmentId);
    if (assignment === undefined) throw notFound(roleAssignmentId, 'RoleAssignment');
    const { roleType } = assignment;
    if (roleType === 'SUPER_ADMIN') await assertNotLastSuperAdmin(tx, context.orgId, userId);
    await removeRoleAssignment(tx, context.orgId, userId, roleAssignmentId);
    const debugData = { privilegeRevoked: ROLES[roleType].label, roleType };
    const changeDetails = roleChange(
      assignments,
      assignments.filter(({ id }) => id !== roleAssignmentId),
    );
    const target = [{ ...userTarget(user), changeDetails }];
    record({ eventType: 'user.account.privilege.revoke', target, debugData });
  });
}
