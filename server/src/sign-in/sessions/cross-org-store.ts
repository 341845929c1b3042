import { type Db, run } from '../../platform/postgres/index.ts';

/**
 * Deletes up to `maximum` sessions and up to `maximum` session tokens that expired before `before`, in all orgs.
 * Returns true if there may be more.
 */
export async function dropEndedSessions(db: Db, before: Date, maximum = 5_000): Promise<boolean> {
  const sessions = `delete from sessions where ctid = any (array(
    select ctid from sessions where expires_at < $1 limit $2::integer)) returning 1`;
  const tokens = `delete from session_tokens where ctid = any (array(
    select ctid from session_tokens where expires_at < $1 limit $2::integer)) returning 1`;
  const dropped = [await run(db, sessions, [before, maximum]), await run(db, tokens, [before, maximum])];
  return dropped.some((rows) => rows.length >= maximum);
}
