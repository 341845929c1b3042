import { assertHolds } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { limitReached } from '../../../kernel/errors/field-errors.ts';

import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { FIRST_REVISION } from '../../../kernel/version.ts';
import type { HeldRole } from '../../../kernel/words/held-role.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { JsonObject, NewEvent, Record } from '../../../system-log/index.ts';
import { type CustomRole, customRoleTarget, findPermissions } from '../../custom-roles/index.ts';
import { findResources, type ResourceSet, resourceSetTarget } from '../../resource-sets/index.ts';
import type { Assignee } from '../assignments/assignee-store.ts';
import { assertMayHoldRoles, assigneeTarget } from '../assignments/assignees.ts';
import { roleEvent } from '../assignments/role-change.ts';
import { type CustomAssignment, readAssignments } from '../store.ts';
import { type BindingKey, type BindingMember, findMembers, insertMember, removeMember } from './binding-store.ts';

const MAXIMUM_RESOURCES = 1_000;
export const MAXIMUM_MEMBERS = 1_000;

export interface Bound {
  readonly role: CustomRole;
  readonly set: ResourceSet;
}

export interface Binding extends Bound {
  readonly revision: number;
}

export const keyOf = ({ role, set }: Bound): BindingKey => ({ resourceSetId: set.id, roleId: role.id });

/** Returns the rights that a member has through the binding. */
async function heldBy(tx: Tx, context: Context, { role, set }: Bound): Promise<HeldRole> {
  const [permissions, resources] = await Promise.all([
    findPermissions(tx, context.orgId, role.id),
    findResources(tx, context.orgId, set.id, MAXIMUM_RESOURCES),
  ]);
  return {
    type: 'CUSTOM',
    targets: null,
    custom: {
      permissions: permissions.map(({ conditions, permission }) => ({ name: permission, conditions })),
      resources: resources.map(({ excluded, key, kind }) => ({ kind, key: key === '' ? null : key, excluded })),
    },
  };
}

/** Throws 403 E0000006 unless the caller holds everything that the binding grants. */
export const assertMayBind = async (tx: Tx, context: Context, bound: Bound): Promise<void> =>
  assertHolds(context, [await heldBy(tx, context, bound)]);

export const bindingEvent = (
  eventType: 'iam.resourceset.bindings.add' | 'iam.resourceset.bindings.delete',
  { role, set }: Bound,
  changeDetails: { readonly from: JsonObject; readonly to: JsonObject },
  assignee?: Assignee,
): NewEvent => ({
  eventType,
  target: [
    { ...resourceSetTarget(set), changeDetails },
    customRoleTarget(role),
    ...(assignee === undefined ? [] : [assigneeTarget(assignee)]),
  ],
});

const assignmentOf = ({ role, set }: Bound, member: BindingMember): CustomAssignment => ({
  id: member.id,
  kind: member.kind,
  assigneeId: member.memberId,
  roleType: 'CUSTOM',
  isTargeted: false,
  custom: { roleId: role.id, label: role.label, resourceSetId: set.id },
  createdAt: member.createdAt,
  lastUpdatedAt: member.lastUpdatedAt,
  revision: FIRST_REVISION,
});

/**
 * Returns null for an assignee who is already a member. Needs the lock on the assignee. The caller must have called
 * `assertMayBind`.
 */
export async function addMember(
  tx: Tx,
  record: Record,
  context: Context,
  bound: Bound,
  assignee: Assignee,
): Promise<CustomAssignment | null> {
  await assertMayHoldRoles(tx, context, assignee);
  const before = await readAssignments(tx, context.orgId, assignee.kind, assignee.id);
  const { resourceSetId, roleId } = keyOf(bound);
  const isMember = before.some(({ custom }) => custom?.roleId === roleId && custom.resourceSetId === resourceSetId);
  if (isMember) return null;
  const now = wholeSecond(context.now);
  const id = newId('bindingMember', orgSuffixOf(context.orgId));
  const member = { id, kind: assignee.kind, memberId: assignee.id, createdAt: now, lastUpdatedAt: now };
  await insertMember(tx, context.orgId, { resourceSetId, roleId }, member);
  const assignment = assignmentOf(bound, member);
  const changeDetails = { from: { member: null }, to: { member: assignee.id } };
  record(bindingEvent('iam.resourceset.bindings.add', bound, changeDetails, assignee));
  record(roleEvent('granted', assignee, assignment, before, [...before, assignment]));
  return assignment;
}

/** Call this after adding members, under the lock on the set. */
export async function assertNotOverfull(tx: Tx, context: Context, bound: Bound): Promise<void> {
  const held = await findMembers(tx, context.orgId, keyOf(bound), MAXIMUM_MEMBERS + 1);
  if (held.length > MAXIMUM_MEMBERS) {
    throw limitReached('members', MAXIMUM_MEMBERS, 'members', 'A binding');
  }
}

/** Returns false when the membership has ended already. Needs the lock on the assignee. */
export async function endMembership(
  tx: Tx,
  record: Record,
  context: Context,
  bound: Bound,
  assignee: Assignee,
  assignmentId: string,
): Promise<boolean> {
  const before = await readAssignments(tx, context.orgId, assignee.kind, assignee.id);
  const assignment = before.find(({ id }) => id === assignmentId);
  if (assignment === undefined) return false;
  await removeMember(tx, context.orgId, keyOf(bound), assignmentId);
  const changeDetails = { from: { member: assignee.id }, to: { member: null } };
  record(bindingEvent('iam.resourceset.bindings.delete', bound, changeDetails, assignee));
  const after = before.filter(({ id }) => id !== assignmentId);
  record(roleEvent('revoked', assignee, assignment, before, after));
  return true;
}

export const unknownIn = (field: string) => invalid(field, 'There is no object with this id.');
