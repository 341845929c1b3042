import { ROLES } from '../../access/index.ts';
import type { Context } from '../../kernel/context.ts';
import { wireDate } from '../../kernel/dates.ts';
import type { ClientRoleAssignment } from './client-role-store.ts';

/** A role of a client as the wire has it (contract section 14). */
export const wireClientRole = (assignment: ClientRoleAssignment, context: Context): Record<string, unknown> => ({
  id: assignment.id,
  label: ROLES[assignment.roleType].label,
  type: assignment.roleType,
  status: 'ACTIVE',
  created: wireDate(assignment.createdAt),
  lastUpdated: wireDate(assignment.lastUpdatedAt),
  assignmentType: 'CLIENT',
  _links: { assignee: { href: `${context.baseUrl}/oauth2/v1/clients/${assignment.clientId}` } },
});
