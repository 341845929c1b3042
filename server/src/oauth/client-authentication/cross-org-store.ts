import { type Db, run } from '../../platform/postgres/index.ts';

/**
 * Deletes used assertions of all orgs that expired before a time, a limited number per call. Expired assertions are
 * refused even without a record. True means that there may be more.
 */
export async function dropOldUsedAssertions(db: Db, expiredBefore: Date, maximum = 5_000): Promise<boolean> {
  const text = `delete from used_assertions where ctid = any (array(
    select ctid from used_assertions
    where expires_at < $1 limit $2::integer for update skip locked)) returning 1`;
  return (await run(db, text, [expiredBefore, maximum])).length >= maximum;
}
