import type { Context } from '../../../kernel/context.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Record } from '../../../system-log/index.ts';
import { type RoleAssignment, readAssignments, removeAssignment } from '../store.ts';
import { findAssignee } from './assignee-store.ts';
import { roleEvent } from './role-change.ts';
import { assertSuperAdminLeft } from './super-admins.ts';

export async function endRolesOfGroup(tx: Tx, context: Context, record: Record, groupId: string): Promise<void> {
  const { orgId } = context;
  let left: readonly RoleAssignment[] = await readAssignments(tx, orgId, 'GROUP', groupId);
  if (left.length === 0) return;
  const group = await findAssignee(tx, orgId, 'GROUP', groupId);
  if (group === undefined) return;
  for (const assignment of left) {
    if (assignment.custom === null) await removeAssignment(tx, orgId, assignment);
    if (assignment.roleType === 'SUPER_ADMIN') await assertSuperAdminLeft(tx, orgId);
    const after = left.filter(({ id }) => id !== assignment.id);
    record(roleEvent('revoked', group, assignment, left, after));
    left = after;
  }
}
