import { type RawBuilder, sql } from 'kysely';
import type { OrgId } from '../../kernel/words/ids.ts';

/**
 * Returns the SQL of a table: the refresh tokens of an org that no change to their user, app, assignment or server has
 * voided. `org` is the parameter of the statement that names the org. Each subquery names it, so that PostgreSQL and
 * Citus see that nothing is read of another org.
 */
export const liveRefreshTokens = (org: string): string => `(
  select t.*, u.login, u.profile as user_profile, a.id as app_id, a.label as client_label, v.name as server_name,
    coalesce(v.is_default, false) as is_default_server
  from refresh_tokens t
  join users u on u.org_id = ${org} and u.id = t.user_id
  join apps a on a.org_id = ${org} and a.client_id = t.client_id
  left join authorization_servers v on v.org_id = ${org} and v.id = t.server_id
  left join app_users d on d.org_id = ${org} and d.app_id = a.id and d.user_id = t.user_id
  -- A lateral item with a limit is looked up by keys for each row, never by a hash of all assignments.
  cross join lateral (
    select where coalesce(a.document -> 'settings' ->> 'implicitAssignment' = 'true', false)
      and a.implicit_from < t.issued_at
    union all select where d.scope = 'USER' and d.valid_from < t.issued_at
    union all select from group_members m join app_groups g on g.org_id = ${org} and g.group_id = m.group_id
    where m.org_id = ${org} and m.user_id = t.user_id and g.app_id = a.id
      and least(greatest(m.valid_from, g.valid_from), d.valid_from) < t.issued_at
    union all select from groups e join app_groups g on g.org_id = ${org} and g.group_id = e.id
    where e.org_id = ${org} and e.type = 'BUILT_IN' and g.app_id = a.id
      and least(g.valid_from, d.valid_from) < t.issued_at
    limit 1
  ) assigned
  where t.org_id = ${org} and u.status not in ('STAGED', 'SUSPENDED', 'DEPROVISIONED') and a.status = 'ACTIVE'
    and (t.server_id = '' or v.status = 'ACTIVE')
    and t.issued_at > greatest(u.valid_after, a.valid_after, v.valid_after))`;

const PLACE = '<org>';
const PARTS = liveRefreshTokens(PLACE)
  .split(PLACE)
  .map((part) => sql.raw(part));

/** Returns the same table as `liveRefreshTokens`, for a statement that is composed. */
export const liveRefreshTokensOf = (orgId: OrgId): RawBuilder<unknown> => sql.join(PARTS, sql`${orgId}`);
