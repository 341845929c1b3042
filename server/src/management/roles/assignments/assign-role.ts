import { assertHolds, isRoleType, ROLES, type RoleType } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { apiError, invalid } from '../../../kernel/errors/errors.ts';
import { notValid } from '../../../kernel/errors/field-errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { wholeRole } from '../../../kernel/words/held-role.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Work } from '../../../system-log/index.ts';
import { base32 } from '../rules.ts';
import { insertAssignment, type RoleAssignment, readAssignments } from '../store.ts';
import { assignCustomRole } from './assign-custom-role.ts';
import type { AssigneeKind } from './assignee-store.ts';
import { assertMayHoldRoles, lockAssignee } from './assignees.ts';
import { roleEvent } from './role-change.ts';

/** The requested role: either a standard role, or a custom role on a resource set. */
export interface RoleInput {
  readonly type: string;
  readonly role?: string | undefined;
  readonly 'resource-set'?: string | undefined;
}

/** If the role can have targets, the assignment's id is the Base32 form of the role's type (contract section 2). */
const newAssignmentId = (context: Context, kind: AssigneeKind, type: RoleType): string =>
  ROLES[type].targets !== null
    ? base32(type)
    : newId(kind === 'GROUP' ? 'groupRoleAssignment' : 'roleAssignment', orgSuffixOf(context.orgId));

function assignStandardRole(
  work: Work,
  context: Context,
  kind: AssigneeKind,
  assigneeId: string,
  roleType: RoleType,
): Promise<RoleAssignment> {
  return work(context, async (tx, record) => {
    const assignee = await lockAssignee(tx, context, kind, assigneeId);
    assertHolds(context, [wholeRole(roleType)]);
    await assertMayHoldRoles(tx, context, assignee);
    const before = await readAssignments(tx, context.orgId, kind, assigneeId);
    if (before.some((assignment) => assignment.roleType === roleType)) throw apiError('E0000090');
    const now = wholeSecond(context.now);
    const assignment = await insertAssignment(tx, context.orgId, {
      id: newAssignmentId(context, kind, roleType),
      kind,
      assigneeId,
      roleType,
      isTargeted: false,
      custom: null,
      createdAt: now,
      lastUpdatedAt: now,
    });
    record(roleEvent('granted', assignee, assignment, before, [...before, assignment]));
    return assignment;
  });
}

export function assignRole(
  ports: { readonly work: Work },
  context: Context,
  kind: AssigneeKind,
  assigneeId: string,
  input: RoleInput,
): Promise<RoleAssignment> {
  const { role, type } = input;
  const resourceSet = input['resource-set'];
  if (type === 'CUSTOM') {
    if (role === undefined) throw invalid('role', 'is required for the type CUSTOM.');
    if (resourceSet === undefined) throw invalid('resource-set', 'is required for the type CUSTOM.');
    return assignCustomRole(ports.work, context, kind, assigneeId, { role, resourceSet });
  }
  if (!isRoleType(type)) throw notValid('type');
  return assignStandardRole(ports.work, context, kind, assigneeId, type);
}
