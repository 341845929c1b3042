import { type Db, run } from '../../platform/postgres/index.ts';

/** Deletes expired authorization requests of all orgs, at most `maximum`. Returns true if there may be more. */
export async function dropOldAuthorizationRequests(db: Db, expiredBefore: Date, maximum = 5_000): Promise<boolean> {
  const text = `delete from authorization_requests where ctid = any (array(
    select ctid from authorization_requests
    where expires_at < $1 limit $2::integer for update skip locked)) returning 1`;
  return (await run(db, text, [expiredBefore, maximum])).length >= maximum;
}
