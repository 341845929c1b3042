import { type RawBuilder, sql } from 'kysely';
import type { OrgId } from '../../kernel/ids.ts';
import { valueKey } from '../../kernel/text.ts';
import type { KeysetRequest } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';

interface Place {
  readonly orgId: OrgId;
  readonly appId: string;
  readonly request: KeysetRequest<string>;
}

/** Last of all texts with a prefix, in the order of the index. */
const LAST = '\u{10ffff}';

/** login, email, firstName, lastName in the search index of users (users/attribute-values.ts). */
const NAME_ATTRIBUTES = sql.raw(`'{100, 101, 102, 103}'::integer[]`);

const beyond = ({ backwards, key }: KeysetRequest<string>, column: RawBuilder<unknown>): RawBuilder<unknown> => {
  if (key === null) return sql`true`;
  return backwards ? sql`${column} < ${key}` : sql`${column} > ${key}`;
};

const order = ({ backwards }: KeysetRequest<string>): RawBuilder<unknown> => (backwards ? sql`desc` : sql`asc`);

/** Each source gives no more than the page takes: what they give together holds the page. */
function everybody({ appId, orgId, request }: Place): RawBuilder<unknown> {
  const { rows } = request;
  const direction = order(request);
  return sql`(select d.user_id from app_users d
      where d.org_id = ${orgId} and d.app_id = ${appId} and d.scope = 'USER' and ${beyond(request, sql`d.user_id`)}
      order by d.user_id ${direction} limit ${rows})
    union
    select near.user_id from app_groups g cross join lateral (
      select m.user_id from group_members m join users u on u.org_id = m.org_id and u.id = m.user_id
      where m.org_id = ${orgId} and m.group_id = g.group_id and u.status <> 'DEPROVISIONED'
        and ${beyond(request, sql`m.user_id`)}
      order by m.user_id ${direction} limit ${rows}) near
    where g.org_id = ${orgId} and g.app_id = ${appId}
    union
    (select u.id from users u
      where u.org_id = ${orgId} and u.status <> 'DEPROVISIONED' and ${beyond(request, sql`u.id`)}
        and exists (select from groups e join app_groups g on g.org_id = e.org_id and g.group_id = e.id
          where e.org_id = ${orgId} and e.type = 'BUILT_IN' and g.app_id = ${appId})
      order by u.id ${direction} limit ${rows})`;
}

/** Users who begin like that, by the search index of users and by the names they have in the app, and have the app. */
function startingWith({ appId, orgId, request }: Place, q: string): RawBuilder<unknown> {
  const from = valueKey(q);
  const to = from + LAST;
  return sql`select named.user_id from (
      select v.user_id from user_attribute_values v
      where v.org_id = ${orgId} and v.attribute_id = any(${NAME_ATTRIBUTES})
        and v.value_key >= ${from} and v.value_key <= ${to} and ${beyond(request, sql`v.user_id`)}
      union
      select d.user_id from app_users d
      where d.org_id = ${orgId} and d.app_id = ${appId} and d.user_name_key >= ${from} and d.user_name_key <= ${to}
        and ${beyond(request, sql`d.user_id`)}
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

/** Ids of users who have an app by an assignment or by a group, nearest to the key first. */
export async function readAppUserIds(
  db: Db,
  orgId: OrgId,
  appId: string,
  q: string | null,
  request: KeysetRequest<string>,
): Promise<string[]> {
  const place = { orgId, appId, request };
  const found = q === null ? everybody(place) : startingWith(place, q);
  const result = await sql<{ id: string }>`select page.user_id as id from (${found}) page
    order by page.user_id ${order(request)} limit ${request.rows}`.execute(db);
  return result.rows.map(({ id }) => id);
}
