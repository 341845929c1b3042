import { byOrg, type Db, type Outdated, run, sweep } from '../../platform/postgres/index.ts';

const OLD_TOKENS: Outdated = {
  table: 'refresh_tokens',
  key: { id: 'text' },
  condition: `idle_expires_on <= ($1::timestamptz at time zone 'UTC')::date and idle_expires_at < $1::timestamptz`,
  order: 'idle_expires_on',
};

/** Deletes expired refresh tokens of all orgs, at most `maximum`. Returns true if more may remain. */
export const dropOldRefreshTokens = (db: Db, expiredBefore: Date, maximum?: number): Promise<boolean> =>
  sweep(db, OLD_TOKENS, expiredBefore, maximum);

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
  const text = `select org_id, id from refresh_tokens where (org_id, id) > ($1, $2)
    order by org_id, id limit $3::integer`;
  const page = await run<{ org_id: string; id: string }>(db, text, [after.orgId, after.id, maximum]);
  for (const [orgId, tokens] of byOrg(page)) await run(db, DROP_VOID, [orgId, tokens.map(({ id }) => id)]);
  const last = page.at(-1);
  return last === undefined ? null : { orgId: last.org_id, id: last.id };
}

const DROP_VOID = `delete from refresh_tokens where org_id = $1 and id = any (array(
  select t.id from refresh_tokens t
    join users u on u.org_id = $1 and u.id = t.user_id
    join apps a on a.org_id = $1 and a.client_id = t.client_id
    left join authorization_servers v on v.org_id = $1 and v.id = t.server_id
  where t.org_id = $1 and t.id = any ($2::text[])
    and (t.issued_at <= greatest(u.valid_after, a.valid_after, v.valid_after) or (t.server_id <> '' and v.id is null))
  for update of t skip locked))`;
