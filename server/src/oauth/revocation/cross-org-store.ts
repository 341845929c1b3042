import { type Db, run } from '../../platform/postgres/index.ts';

/**
 * Deletes expired revocations and signing keys of all orgs, at most `maximum` of each kind. Returns true if more may
 * exist.
 */
export async function dropSpentTokens(db: Db, before: Date, maximum = 5_000): Promise<boolean> {
  const revocations = await run(
    db,
    `delete from revoked_tokens where ctid = any (array(
       select ctid from revoked_tokens where expires_at < $1 limit $2::integer for update skip locked
     )) returning 1`,
    [before, maximum],
  );
  const keys = await run(
    db,
    `delete from signing_keys where ctid = any (array(
       select ctid from signing_keys where expires_at < $1 limit $2::integer for update skip locked
     )) returning 1`,
    [before, maximum],
  );
  return [revocations, keys].some((rows) => rows.length >= maximum);
}
