import { type Db, run } from '../../platform/postgres/index.ts';

/** Removes refresh tokens that were over by then, in all orgs; a bounded number at a time. True: there may be more. */
export async function dropOldRefreshTokens(db: Db, expiredBefore: Date, maximum = 5_000): Promise<boolean> {
  const text = `delete from refresh_tokens where (org_id, id) in (
    select org_id, id from refresh_tokens where idle_expires_at < $1
    order by idle_expires_at limit $2::integer for update skip locked) returning 1`;
  return (await run(db, text, [expiredBefore, maximum])).length >= maximum;
}
