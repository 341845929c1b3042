import { type RawBuilder, sql } from 'kysely';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { Exclusion, Grant, SomeGrant } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { covers } from './grants.ts';

const NOTHING = sql<boolean>`false`;
const ALL = sql<boolean>`true`;

const anyOf = (conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> => {
  const [only, ...others] = conditions;
  if (only === undefined) return NOTHING;
  return others.length === 0 ? only : sql<boolean>`(${sql.join(conditions, sql` or `)})`;
};

const isOneOf = (column: RawBuilder<unknown>, values: readonly string[]): RawBuilder<boolean> =>
  sql<boolean>`${column} = any(${values}::text[])`;

const isNoneOf = (column: RawBuilder<unknown>, values: readonly string[]): RawBuilder<boolean> =>
  sql<boolean>`not (${isOneOf(column, values)})`;

const members = (orgId: OrgId, groupIds: readonly string[]): RawBuilder<unknown> =>
  sql`select m.user_id from group_members m where m.org_id = ${orgId} and m.group_id = any(${groupIds}::text[])`;

/** Returns queries that the caller combines in one `in (...)`. With one `in` each, the planner would scan all users. */
function namedUsers(orgId: OrgId, { groupIds, ids }: SomeGrant): RawBuilder<unknown>[] {
  const byGroup = groupIds.length === 0 ? [] : [members(orgId, groupIds)];
  return ids.length === 0 ? byGroup : [...byGroup, sql`select unnest(${ids}::text[]) collate "C"`];
}

function allUsersBut(orgId: OrgId, id: RawBuilder<unknown>, { groupIds, ids }: Exclusion): RawBuilder<boolean> {
  const conditions = [isNoneOf(id, ids)];
  if (groupIds.length > 0)
    conditions.push(sql<boolean>`not exists (${members(orgId, groupIds)} and m.user_id = ${id})`);
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}

export function usersWithin(orgId: OrgId, grant: Grant, id: RawBuilder<unknown>): RawBuilder<boolean> {
  if (grant.kind === 'all') return ALL;
  if (grant.kind === 'ids') return isOneOf(id, grant.ids);
  const named = namedUsers(orgId, grant);
  return anyOf([
    ...(named.length === 0 ? [] : [sql<boolean>`${id} in (${sql.join(named, sql` union all `)})`]),
    ...grant.allBut.map((exclusion) => allUsersBut(orgId, id, exclusion)),
  ]);
}

export function groupsWithin(grant: Grant, id: RawBuilder<unknown>): RawBuilder<boolean> {
  if (grant.kind === 'all') return ALL;
  if (grant.kind === 'ids') return isOneOf(id, grant.ids);
  return anyOf([
    isOneOf(id, [...grant.ids, ...grant.groupIds]),
    ...grant.allBut.map(({ groupIds, ids }) => isNoneOf(id, [...ids, ...groupIds])),
  ]);
}

export function appsWithin(grant: Grant, id: RawBuilder<unknown>, name: RawBuilder<unknown>): RawBuilder<boolean> {
  if (grant.kind === 'all') return ALL;
  if (grant.kind === 'ids') return isOneOf(id, grant.ids);
  return anyOf([
    isOneOf(id, [...grant.ids, ...grant.appIds]),
    ...(grant.appNames.length === 0 ? [] : [isOneOf(name, grant.appNames)]),
    ...grant.allBut.map(({ appNames, ids }) => sql<boolean>`(${isNoneOf(id, ids)} and ${isNoneOf(name, appNames)})`),
  ]);
}

export async function coversUser(db: Db, orgId: OrgId, grant: Grant, userId: string): Promise<boolean> {
  if (grant.kind !== 'some') return covers(grant, { id: userId });
  return (await coveredUsers(db, orgId, grant, [userId])).has(userId);
}

export async function coveredUsers(
  db: Db,
  orgId: OrgId,
  grant: Grant,
  userIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (grant.kind === 'all' || userIds.length === 0) return new Set(userIds);
  const { rows } = await sql<{ id: string }>`select u.id from users u where u.org_id = ${orgId}
    and u.id = any(${userIds}::text[]) and ${usersWithin(orgId, grant, sql`u.id`)}`.execute(db);
  return new Set(rows.map(({ id }) => id));
}
