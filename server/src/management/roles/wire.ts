import { ROLES } from '../../access/index.ts';
import type { Context } from '../../kernel/context.ts';
import { wireDate } from '../../kernel/dates.ts';
import type { RoleAssignment } from './store.ts';

/** A role assignment as the wire has it (contract section 14). */
export const wireRoleAssignment = (assignment: RoleAssignment, context: Context): Record<string, unknown> => ({
  id: assignment.id,
  label: ROLES[assignment.roleType].label,
  type: assignment.roleType,
  status: 'ACTIVE',
  created: wireDate(assignment.createdAt),
  lastUpdated: wireDate(assignment.lastUpdatedAt),
  assignmentType: 'USER',
  _links: { assignee: { href: `${context.baseUrl}/api/v1/users/${assignment.userId}` } },
});
