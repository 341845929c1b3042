import { type Db, run } from '../../platform/postgres/index.ts';

/** Deletes expired sign-ins and outdated counters of all orgs. Returns true if there may be more. */
export async function dropOldSignInRows(db: Db, before: Date, maximum = 5_000): Promise<boolean> {
  const transactions = `delete from authentication_transactions where ctid = any (array(
    select ctid from authentication_transactions where expires_at < $1 limit $2::integer)) returning 1`;
  const attempts = `delete from sign_in_attempts where ctid = any (array(
    select ctid from sign_in_attempts where window_start < $1 limit $2::integer)) returning 1`;
  const dropped = [await run(db, transactions, [before, maximum]), await run(db, attempts, [before, maximum])];
  return dropped.some((rows) => rows.length >= maximum);
}
