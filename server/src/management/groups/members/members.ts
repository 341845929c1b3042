import type { Context } from '../../../kernel/context.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { NewEvent, Record as RecordEvent, Target } from '../../../system-log/index.ts';
import { namedUserTarget } from '../../users/index.ts';
import { lockGroup } from '../store.ts';
import { groupTarget } from '../wire.ts';
import {
  deleteMembers,
  deleteMembershipsOf,
  insertMembers,
  insertRuleMembers,
  lockGroupsOf,
  type NamedMember,
  releaseMembers,
  touchMemberships,
} from './member-store.ts';

/** A `direct` membership does not depend on a rule. */
export type MembershipOrigin = { readonly kind: 'direct' } | { readonly kind: 'rule'; readonly ruleId: string };

const memberTarget = ({ firstName, id, lastName, login }: NamedMember): Target =>
  namedUserTarget({ id, login, profile: { login, firstName, lastName } });

const joined = (group: Target, member: Target): NewEvent => ({
  eventType: 'group.user_membership.add',
  target: [member, { ...group, changeDetails: { from: { member: null }, to: { member: member.id } } }],
});

const left = (group: Target, member: Target): NewEvent => ({
  eventType: 'group.user_membership.remove',
  target: [member, { ...group, changeDetails: { from: { member: member.id }, to: { member: null } } }],
});

export const membershipsOf = (events: readonly NewEvent[]): { userId: string; groupId: string }[] =>
  events.flatMap(({ target = [] }) => {
    const [user, group] = target;
    return user === undefined || group === undefined ? [] : [{ userId: user.id, groupId: group.id }];
  });

const sortedOnce = (ids: readonly string[]): string[] => [...new Set(ids)].toSorted();

/** Ignores unknown users, unknown groups and the built-in group. The caller must have checked the permission. */
export async function addMembers(
  tx: Tx,
  context: Context,
  record: RecordEvent,
  groupId: string,
  userIds: readonly string[],
  origin: MembershipOrigin,
): Promise<readonly string[]> {
  const group = await lockGroup(tx, context.orgId, groupId);
  if (group === undefined || group.type === 'BUILT_IN' || userIds.length === 0) return [];
  const ids = sortedOnce(userIds);
  const now = wholeSecond(context.now);
  const added = await insertMembers(tx, context.orgId, groupId, ids, origin.kind === 'direct', now);
  if (origin.kind === 'rule') await insertRuleMembers(tx, context.orgId, groupId, ids, origin.ruleId);
  if (added.length === 0) return [];
  await touchMemberships(tx, context.orgId, [groupId], now);
  const target = groupTarget(group);
  for (const member of added) record(joined(target, memberTarget(member)));
  return added.map(({ id }) => id);
}

/** Removal by a rule ends a membership only when nothing else gives that membership. */
export async function removeMembers(
  tx: Tx,
  context: Context,
  record: RecordEvent,
  groupId: string,
  userIds: readonly string[],
  origin: MembershipOrigin,
): Promise<readonly string[]> {
  // The group is locked before the rows of its members, in the same order as in a deletion of the group.
  const group = await lockGroup(tx, context.orgId, groupId);
  if (group === undefined || userIds.length === 0) return [];
  const ids = sortedOnce(userIds);
  const removed =
    origin.kind === 'direct'
      ? await deleteMembers(tx, context.orgId, groupId, ids)
      : await releaseMembers(tx, context.orgId, groupId, ids, origin.ruleId);
  if (removed.length === 0) return [];
  await touchMemberships(tx, context.orgId, [groupId], wholeSecond(context.now));
  const target = groupTarget(group);
  for (const member of removed) record(left(target, memberTarget(member)));
  return removed.map(({ id }) => id);
}

/** Needs the lock on the user's row. */
export async function leaveAllGroups(
  tx: Tx,
  context: Context,
  record: RecordEvent,
  user: Parameters<typeof namedUserTarget>[0],
): Promise<void> {
  const groups = await lockGroupsOf(tx, context.orgId, user.id);
  if (groups.length === 0) return;
  const ids = groups.map(({ id }) => id);
  await deleteMembershipsOf(tx, context.orgId, user.id);
  await touchMemberships(tx, context.orgId, ids, wholeSecond(context.now));
  for (const group of groups) record(left(groupTarget(group), namedUserTarget(user)));
}
