import type { Context } from '../../../kernel/context.ts';
import { apiError, invalid, notFound } from '../../../kernel/errors/errors.ts';
import { tooMany } from '../../../kernel/errors/field-errors.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Record as RecordEvent } from '../../../system-log/index.ts';
import { findUserById, resolveUserId } from '../../users/index.ts';
import type { GroupsPorts } from '../ports.ts';
import {
  assertCovered,
  assertHoldsRolesOf,
  assertOurs,
  assertReachesNoFurther,
  assertVisibleUser,
  membershipGrantOf,
  readGroup,
  visibleTo,
} from '../records/guards.ts';
import { lockGroup } from '../store.ts';
import { addMembers, removeMembers } from './members.ts';

const MAXIMUM_GROUPS_OF_NEW_USER = 100;

export interface MembershipInput {
  readonly groupId: string;
  /** The user's id or login, or `me`. */
  readonly userId: string;
}

async function changeMembership(
  ports: GroupsPorts,
  context: Context,
  grant: Grant,
  { groupId, userId: idOrLogin }: MembershipInput,
  change: 'add' | 'remove',
): Promise<void> {
  await readGroup(ports.db, context, grant, groupId);
  const userId = await resolveUserId(ports.db, context, idOrLogin, visibleTo(context, 'users.read'));
  await ports.work(context, async (tx, record) => {
    const group = await lockGroup(tx, context.orgId, groupId);
    if (group === undefined) throw notFound(groupId, 'UserGroup');
    await assertVisibleUser(tx, context, userId);
    const user = await findUserById(tx, context.orgId, userId);
    if (user === undefined) throw notFound(idOrLogin, 'User');
    assertOurs(group);
    await assertHoldsRolesOf(tx, context, groupId);
    await assertReachesNoFurther(tx, context, [{ groupId, userId }], change);
    const apply = change === 'add' ? addMembers : removeMembers;
    const changed = await apply(tx, context, record, groupId, [userId], { kind: 'direct' });
    if (change !== 'add' || changed.length > 0) return;
    if ((await findUserById(tx, context.orgId, userId)) === undefined) throw notFound(idOrLogin, 'User');
    await ports.onMembersPinned(tx, context, record, [userId]);
  });
}

export const assignUserToGroup = (
  ports: GroupsPorts,
  context: Context,
  grant: Grant,
  input: MembershipInput,
): Promise<void> => changeMembership(ports, context, grant, input, 'add');

export const unassignUserFromGroup = (
  ports: GroupsPorts,
  context: Context,
  grant: Grant,
  input: MembershipInput,
): Promise<void> => changeMembership(ports, context, grant, input, 'remove');

export async function joinGroups(
  tx: Tx,
  context: Context,
  record: RecordEvent,
  userId: string,
  groupIds: readonly string[],
): Promise<void> {
  if (groupIds.length === 0) return;
  if (groupIds.length > MAXIMUM_GROUPS_OF_NEW_USER) {
    throw tooMany('groupIds', MAXIMUM_GROUPS_OF_NEW_USER, 'groups');
  }
  const grant = membershipGrantOf(context);
  if (grant === null) throw apiError('E0000006');
  for (const groupId of [...new Set(groupIds)].toSorted()) {
    assertCovered(grant, groupId);
    const group = await lockGroup(tx, context.orgId, groupId);
    if (group === undefined) throw invalid('groupIds', `There is no group ${groupId}.`);
    // Every new user is in the built-in group already.
    if (group.type === 'BUILT_IN') continue;
    assertOurs(group);
    await assertHoldsRolesOf(tx, context, groupId);
    await addMembers(tx, context, record, groupId, [userId], { kind: 'direct' });
  }
}
