import { coveredUsers } from '../../../access/index.ts';
import { type Context, userIdOf } from '../../../kernel/context.ts';
import { type Grant, type KeysetPage, keysetPage } from '../../../platform/http/index.ts';
import { getUser, type UserRow } from '../../users/index.ts';
import type { GroupsPorts, PageQuery } from '../ports.ts';
import type { GroupRow } from '../records/group-row.ts';
import { readGroup, visibleTo } from '../records/guards.ts';
import { readGroupsOfUser, readMembers } from './member-list-store.ts';

/** A page of members, with the ids of those whom the caller may see. */
export interface MemberPage extends KeysetPage<UserRow> {
  readonly visibleIds: ReadonlySet<string>;
}

export async function listGroupUsers(
  ports: GroupsPorts,
  context: Context,
  grant: Grant,
  groupId: string,
  { after, before, limit, raw }: PageQuery,
): Promise<MemberPage> {
  const group = await readGroup(ports.db, context, grant, groupId);
  const page = await keysetPage(
    ports.cursors,
    { orgId: context.orgId, list: `listGroupUsers:${groupId}`, limit, after, before, query: raw },
    (user: UserRow) => user.id,
    (request) => readMembers(ports.db, context.orgId, group, request),
  );
  const ids = page.rows.map(({ id }) => id);
  const visibleIds = await coveredUsers(ports.db, context.orgId, visibleTo(context, 'users.read'), ids);
  return { ...page, visibleIds };
}

/** Lists one page of a user's groups, including Everyone. Users see all of their own groups. */
export async function listUserGroups(
  ports: GroupsPorts,
  context: Context,
  grant: Grant,
  idOrLogin: string,
  { after, before, limit, raw }: PageQuery,
): Promise<KeysetPage<GroupRow>> {
  const { id: userId } = await getUser(ports.users, context, grant, idOrLogin);
  const isOwn = userIdOf(context.principal) === userId;
  const visible: Grant = isOwn ? { kind: 'all' } : visibleTo(context, 'groups.read');
  return keysetPage(
    ports.cursors,
    { orgId: context.orgId, list: `listUserGroups:${userId}`, limit, after, before, query: raw },
    (group: GroupRow) => group.id,
    (request) => readGroupsOfUser(ports.db, context.orgId, userId, visible, request),
  );
}
