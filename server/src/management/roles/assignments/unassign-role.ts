import { assertHolds } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import { assertVersion } from '../../../kernel/version.ts';
import { wholeRole } from '../../../kernel/words/held-role.ts';
import type { Work } from '../../../system-log/index.ts';
import { readAssignments, removeAssignment } from '../store.ts';
import { roleAssignmentVersion } from '../wire.ts';
import { unassignCustomRole } from './assign-custom-role.ts';
import type { AssigneeKind } from './assignee-store.ts';
import { lockAssignee } from './assignees.ts';
import { roleEvent } from './role-change.ts';
import { assertSuperAdminLeft } from './super-admins.ts';

export function unassignRole(
  ports: { readonly work: Work },
  context: Context,
  kind: AssigneeKind,
  assigneeId: string,
  assignmentId: string,
): Promise<void> {
  return ports.work(context, async (tx, record) => {
    const assignee = await lockAssignee(tx, context, kind, assigneeId);
    const before = await readAssignments(tx, context.orgId, kind, assigneeId);
    const assignment = before.find(({ id }) => id === assignmentId);
    if (assignment === undefined) throw notFound(assignmentId, 'RoleAssignment');
    assertVersion(context, roleAssignmentVersion(assignment));
    if (assignment.custom !== null) return unassignCustomRole(tx, record, context, assignee, assignment);
    assertHolds(context, [wholeRole(assignment.roleType)]);
    await removeAssignment(tx, context.orgId, assignment);
    if (assignment.roleType === 'SUPER_ADMIN' && kind !== 'CLIENT') await assertSuperAdminLeft(tx, context.orgId);
    const after = before.filter(({ id }) => id !== assignmentId);
    record(roleEvent('revoked', assignee, assignment, before, after));
  });
}
