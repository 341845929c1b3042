import { type Db, run } from '../../platform/postgres/index.ts';

/** Deletes expired refresh tokens of all orgs, at most `maximum`. Returns true if more may remain. */
export async function dropOldRefreshTokens(db: Db, expiredBefore: Date, maximum = 5_000): Promise<boolean> {
  const text = `delete from refresh_tokens where ctid = any (array(
    select ctid from refresh_tokens
    where idle_expires_on <= ($1::timestamptz at time zone 'UTC')::date and idle_expires_at < $1::timestamptz
    order by idle_expires_on limit $2::integer for update skip locked)) returning 1`;
  return (await run(db, text, [expiredBefore, maximum])).length >= maximum;
}

/** The position of a pass over the tokens of all orgs. */
export interface TokenPlace {
  readonly orgId: string;
  readonly id: string;
}

export const FIRST_TOKEN: TokenPlace = { orgId: '', id: '' };

/**
 * Deletes tokens that a change to their user, app or server has made void. Returns the place to continue at, or null at
 * the end.
 */
export async function dropVoidRefreshTokens(db: Db, after: TokenPlace, maximum = 5_000): Promise<TokenPlace | null> {
  const text = `with page as materialized (
      select org_id, id from refresh_tokens where (org_id, id) > ($1, $2) order by org_id, id limit $3::integer),
    dead as (
      select t.org_id, t.id from page p
        join refresh_tokens t on t.org_id = p.org_id and t.id = p.id
        join users u on u.org_id = t.org_id and u.id = t.user_id
        join apps a on a.org_id = t.org_id and a.client_id = t.client_id
        left join authorization_servers v on v.org_id = t.org_id and v.id = t.server_id
      where t.issued_at <= greatest(u.valid_after, a.valid_after, v.valid_after) or (t.server_id <> '' and v.id is null)
      for update of t skip locked),
    removed as (
      delete from refresh_tokens r using dead where r.org_id = dead.org_id and r.id = dead.id returning 1)
    select org_id as "orgId", id from page order by org_id desc, id desc limit 1`;
  const [last] = await run<TokenPlace>(db, text, [after.orgId, after.id, maximum]);
  return last ?? null;
}
