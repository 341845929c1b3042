import { type Db, run } from '../../platform/postgres/index.ts';

/** Deletes up to `maximum` codes, from any org, that expired before `expiredBefore`. Returns true if more may exist. */
export async function dropOldAuthorizationCodes(db: Db, expiredBefore: Date, maximum = 5_000): Promise<boolean> {
  const text = `delete from authorization_codes where ctid = any (array(
    select ctid from authorization_codes
    where expires_at < $1 limit $2::integer for update skip locked)) returning 1`;
  return (await run(db, text, [expiredBefore, maximum])).length >= maximum;
}
