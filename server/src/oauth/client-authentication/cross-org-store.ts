import { type Db, run } from '../../platform/postgres/index.ts';

/**
 * Deletes the records of used credentials of all orgs once the credentials have expired. Returns true if more may
 * exist.
 */
export async function dropOldUsedAssertions(db: Db, expiredBefore: Date, maximum = 5_000): Promise<boolean> {
  const text = `delete from used_assertions where ctid = any (array(
    select ctid from used_assertions
    where expires_at < $1 limit $2::integer for update skip locked)) returning 1`;
  return (await run(db, text, [expiredBefore, maximum])).length >= maximum;
}
