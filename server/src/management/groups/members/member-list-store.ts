import { type RawBuilder, sql } from 'kysely';
import { groupsWithin } from '../../../access/index.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { Grant, KeysetRequest } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { USER_COLUMNS, type UserRow } from '../../users/index.ts';
import type { GroupRow } from '../records/group-row.ts';
import { GROUP_COLUMNS } from '../store.ts';

const beyond = ({ backwards, key }: KeysetRequest<string>, column: RawBuilder<unknown>): RawBuilder<unknown> => {
  if (key === null) return sql``;
  return backwards ? sql`and ${column} < ${key}` : sql`and ${column} > ${key}`;
};

const direction = ({ backwards }: KeysetRequest<string>) => (backwards ? sql`desc` : sql`asc`);

/** Every user of the org is in the built-in group. */
export async function readMembers(
  db: Db,
  orgId: OrgId,
  group: Pick<GroupRow, 'id' | 'type'>,
  request: KeysetRequest<string>,
): Promise<UserRow[]> {
  const order = direction(request);
  const page =
    group.type === 'BUILT_IN'
      ? sql`select p.id from users p where p.org_id = ${orgId} ${beyond(request, sql`p.id`)}
          order by p.id ${order} limit ${request.rows}`
      : sql`select p.user_id as id from group_members p where p.org_id = ${orgId} and p.group_id = ${group.id}
          ${beyond(request, sql`p.user_id`)} order by p.user_id ${order} limit ${request.rows}`;
  const { rows } = await sql<UserRow>`select ${sql.raw(USER_COLUMNS)} from (${page}) member
    join users u on u.org_id = ${orgId} and u.id = member.id
    left join user_sign_in s on s.org_id = u.org_id and s.user_id = u.id
    order by u.id ${order}`.execute(db);
  return rows;
}

export async function readGroupsOfUser(
  db: Db,
  orgId: OrgId,
  userId: string,
  grant: Grant,
  request: KeysetRequest<string>,
): Promise<GroupRow[]> {
  const order = direction(request);
  const { rows } = await sql<GroupRow>`select ${sql.raw(GROUP_COLUMNS)} from (
      select m.group_id as id from group_members m
      where m.org_id = ${orgId} and m.user_id = ${userId} ${beyond(request, sql`m.group_id`)}
      union all
      select e.id from groups e
      where e.org_id = ${orgId} and e.type = 'BUILT_IN' ${beyond(request, sql`e.id`)}) mine
    join groups g on g.org_id = ${orgId} and g.id = mine.id
    where ${groupsWithin(grant, sql`g.id`)} order by g.id ${order} limit ${request.rows}`.execute(db);
  return rows;
}
