import { type RawBuilder, sql } from 'kysely';
import { valueKey } from '../../../kernel/texts/text.ts';
import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/postgres/index.ts';

export interface NamePrefix {
  readonly text: string;
  /** The attributes that the caller may query, by their ids in the search index of users. */
  readonly attributeIds: readonly number[];
}

interface Place {
  readonly orgId: OrgId;
  readonly appId: AppId;
  readonly request: KeysetRequest<string>;
}

interface Named {
  readonly from: string;
  readonly to: string;
  readonly attributeIds: RawBuilder<unknown>;
}

/** A character that sorts after all others in the index. */
const LAST = '\u{10ffff}';

/**
 * If at most this many names match, the query starts from those names. Otherwise, it starts from the users who have the
 * app.
 */
export const MAXIMUM_GATHERED = 10_000;

const namedBy = ({ attributeIds, text }: NamePrefix): Named => {
  const from = valueKey(text);
  return { from, to: from + LAST, attributeIds: sql`${attributeIds}::integer[]` };
};

const beyond = ({ backwards, key }: KeysetRequest<string>, column: RawBuilder<unknown>): RawBuilder<unknown> => {
  if (key === null) return sql`true`;
  return backwards ? sql`${column} < ${key}` : sql`${column} > ${key}`;
};

const order = ({ backwards }: KeysetRequest<string>): RawBuilder<unknown> => (backwards ? sql`desc` : sql`asc`);

const inUsers = ({ orgId }: Place, { attributeIds, from, to }: Named): RawBuilder<unknown> =>
  sql`from user_attribute_values v where v.org_id = ${orgId} and v.attribute_id = any(${attributeIds})
    and v.value_key >= ${from} and v.value_key <= ${to}`;

const inApp = ({ appId, orgId }: Place, { from, to }: Named): RawBuilder<unknown> =>
  sql`from app_users d where d.org_id = ${orgId} and d.app_id = ${appId}
    and d.user_name_key >= ${from} and d.user_name_key <= ${to}`;

/**
 * `offset 0` makes the planner read only this user's names. Otherwise it could read the matching names of all users.
 */
function isNamed(place: Place, named: Named | null, id: RawBuilder<unknown>): RawBuilder<unknown> {
  if (named === null) return sql`true`;
  const { attributeIds, from, to } = named;
  return sql`(exists (select from (select v.value_key from user_attribute_values v
      where v.org_id = ${place.orgId} and v.user_id = ${id} and v.attribute_id = any(${attributeIds}) offset 0) v
      where v.value_key >= ${from} and v.value_key <= ${to} offset 0)
    or exists (select ${inApp(place, named)} and d.user_id = ${id} offset 0))`;
}

/** Builds a query for the users who have the app. Each group or other source yields at most one page. */
function everybody(place: Place, named: Named | null): RawBuilder<unknown> {
  const { appId, orgId, request } = place;
  const { rows } = request;
  const direction = order(request);
  const wanted = (id: RawBuilder<unknown>) => sql`${beyond(request, id)} and ${isNamed(place, named, id)}`;
  return sql`(select a.user_id from app_users a
      where a.org_id = ${orgId} and a.app_id = ${appId} and a.scope = 'USER' and ${wanted(sql`a.user_id`)}
      order by a.user_id ${direction} limit ${rows})
    union
    select near.user_id from app_groups g cross join lateral (
      select m.user_id from group_members m join users u on u.org_id = m.org_id and u.id = m.user_id
      where m.org_id = ${orgId} and m.group_id = g.group_id and u.status <> 'DEPROVISIONED'
        and ${wanted(sql`m.user_id`)}
      order by m.user_id ${direction} limit ${rows}) near
    where g.org_id = ${orgId} and g.app_id = ${appId}
    union
    (select u.id from users u
      where u.org_id = ${orgId} and u.status <> 'DEPROVISIONED' and ${wanted(sql`u.id`)}
        and exists (select from groups e join app_groups g on g.org_id = e.org_id and g.group_id = e.id
          where e.org_id = ${orgId} and e.type = 'BUILT_IN' and g.app_id = ${appId})
      order by u.id ${direction} limit ${rows})`;
}

/** Builds a query that starts from the users with matching names, and keeps those who have the app. */
function ofFew(place: Place, named: Named): RawBuilder<unknown> {
  const { appId, orgId, request } = place;
  return sql`select named.user_id from (
      select v.user_id ${inUsers(place, named)} and ${beyond(request, sql`v.user_id`)}
      union
      select d.user_id ${inApp(place, named)} and ${beyond(request, sql`d.user_id`)}
    ) named
    where exists (select from users u where u.org_id = ${orgId} and u.id = named.user_id
        and u.status <> 'DEPROVISIONED')
      and (exists (select from app_users d where d.org_id = ${orgId} and d.app_id = ${appId}
          and d.user_id = named.user_id and d.scope = 'USER')
        or exists (select from app_groups g join group_members m on m.org_id = g.org_id and m.group_id = g.group_id
          where g.org_id = ${orgId} and g.app_id = ${appId} and m.user_id = named.user_id)
        or exists (select from app_groups g join groups e on e.org_id = g.org_id and e.id = g.group_id
          where g.org_id = ${orgId} and g.app_id = ${appId} and e.type = 'BUILT_IN'))`;
}

async function areFew(db: Db, place: Place, named: Named): Promise<boolean> {
  const atMost = MAXIMUM_GATHERED + 1;
  const { rows } = await sql<{ total: number }>`select count(*)::integer as total from (
    (select ${inUsers(place, named)} limit ${atMost}) union all (select ${inApp(place, named)} limit ${atMost})
    limit ${atMost}) counted`.execute(db);
  return (rows[0]?.total ?? 0) <= MAXIMUM_GATHERED;
}

/**
 * Reads a page of the ids of an app's users, in order of id. `prefix` applies to attributes of the profile and to
 * stored names in the app.
 */
export async function readAppUserIds(
  db: Db,
  orgId: OrgId,
  appId: AppId,
  prefix: NamePrefix | null,
  request: KeysetRequest<string>,
): Promise<string[]> {
  const place = { orgId, appId, request };
  const named = prefix === null ? null : namedBy(prefix);
  const gathers = named !== null && (await areFew(db, place, named));
  const found = gathers ? ofFew(place, named) : everybody(place, named);
  const result = await sql<{ id: string }>`select page.user_id as id from (${found}) page
    order by page.user_id ${order(request)} limit ${request.rows}`.execute(db);
  return result.rows.map(({ id }) => id);
}
