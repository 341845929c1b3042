import type { Context } from '../../../kernel/context.ts';
import { apiError } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Record, Work } from '../../../system-log/index.ts';
import { findCustomRole } from '../../custom-roles/index.ts';
import { findResourceSet, lockResourceSet } from '../../resource-sets/index.ts';
import {
  addMember,
  assertMayBind,
  assertNotOverfull,
  type Bound,
  endMembership,
  keyOf,
  unknownIn,
} from '../bindings/binding.ts';
import { insertBinding } from '../bindings/binding-store.ts';
import type { CustomAssignment, RoleAssignment } from '../store.ts';
import type { Assignee, AssigneeKind } from './assignee-store.ts';
import { getAssignee, lockAssignee } from './assignees.ts';

async function find(tx: Tx, context: Context, role: string, resourceSet: string): Promise<Bound> {
  const foundRole = await findCustomRole(tx, context.orgId, role);
  if (foundRole === undefined) throw unknownIn('role');
  const set = await findResourceSet(tx, context.orgId, resourceSet);
  if (set === undefined) throw unknownIn('resource-set');
  return { role: foundRole, set };
}

export function assignCustomRole(
  work: Work,
  context: Context,
  kind: AssigneeKind,
  assigneeId: string,
  wanted: { readonly role: string; readonly resourceSet: string },
): Promise<RoleAssignment> {
  return work(context, async (tx, record) => {
    await getAssignee(tx, context, kind, assigneeId);
    const bound = await find(tx, context, wanted.role, wanted.resourceSet);
    // The set is locked before the assignee, as in `addMembersToBinding`. Another order could cause a deadlock.
    await lockResourceSet(tx, context, bound.set.id);
    const assignee = await lockAssignee(tx, context, kind, assigneeId);
    await assertMayBind(tx, context, bound);
    await insertBinding(tx, context.orgId, keyOf(bound), wholeSecond(context.now));
    const assignment = await addMember(tx, record, context, bound, assignee);
    if (assignment === null) throw apiError('E0000090');
    await assertNotOverfull(tx, context, bound);
    return assignment;
  });
}

/** Needs the lock on the assignee. */
export async function unassignCustomRole(
  tx: Tx,
  record: Record,
  context: Context,
  assignee: Assignee,
  { custom, id }: CustomAssignment,
): Promise<void> {
  const bound = await find(tx, context, custom.roleId, custom.resourceSetId);
  await assertMayBind(tx, context, bound);
  await endMembership(tx, record, context, bound, assignee, id);
}
