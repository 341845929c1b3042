import { isRoleType, ROLES, type RoleType } from '../../access/index.ts';
import type { Context } from '../../kernel/context.ts';
import { wholeSecond } from '../../kernel/dates.ts';
import { apiError, invalid, notFound } from '../../kernel/errors.ts';
import { newId, orgSuffixOf } from '../../kernel/ids.ts';
import type { Work } from '../../system-log/index.ts';
import { findUserForUpdate, userTarget } from '../users/index.ts';
import { roleChange } from './role-change.ts';
import { base32 } from './rules.ts';
import { insertRoleAssignment, type RoleAssignment, readRoleAssignments } from './store.ts';

/** 400 E0000001 for what is no standard role. */
export function readRoleType(type: string): RoleType {
  if (isRoleType(type)) return type;
  if (type === 'CUSTOM') throw invalid('type', 'type: Custom roles are not available yet.');
  throw invalid('type', 'type: The field type is not valid.');
}

/** Roles that may get targets have one id per type, the same for every assignee (contract section 2). */
export const newAssignmentId = (context: Context, type: RoleType): string =>
  ROLES[type].takesTargets ? base32(type) : newId('roleAssignment', orgSuffixOf(context.orgId));

/** Grants a role. 404 E0000007 unknown user, 409 E0000090 when the user has it, 400 E0000001 unknown role. */
export async function assignRole(
  ports: { readonly work: Work },
  context: Context,
  userId: string,
  type: string,
): Promise<RoleAssignment> {
  const roleType = readRoleType(type);
  return ports.work(context, async (tx, record) => {
    const user = await findUserForUpdate(tx, context.orgId, userId);
    if (user === undefined) throw notFound(userId, 'User');
    const assignments = await readRoleAssignments(tx, context.orgId, userId);
    if (assignments.some((assignment) => assignment.roleType === roleType)) throw apiError('E0000090');
    const now = wholeSecond(context.now);
    const id = newAssignmentId(context, roleType);
    const assignment: RoleAssignment = { id, userId, roleType, createdAt: now, lastUpdatedAt: now };
    await insertRoleAssignment(tx, context.orgId, assignment);
    const debugData = { privilegeGranted: ROLES[roleType].label, roleType };
    const changeDetails = roleChange(assignments, [...assignments, assignment]);
    const target = [{ ...userTarget(user), changeDetails }];
    record({ eventType: 'user.account.privilege.grant', target, debugData });
    return assignment;
  });
}
