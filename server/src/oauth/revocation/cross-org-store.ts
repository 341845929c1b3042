import { type Db, run } from '../../platform/postgres/index.ts';

/** At most so many rows of each kind at a time: a sweep never holds up what commits beside it. */
const BATCH = 5_000;

/**
 * Removes, in all orgs, what is over since before an instant: revocations of tokens whose time is up anyway, and
 * signing keys whose last token is over. Returns how many rows went. (Used assertions: client-authentication.)
 */
export async function dropSpentTokens(db: Db, before: Date): Promise<number> {
  const revocations = await run(
    db,
    `delete from revoked_tokens where (org_id, jti_hash) in (
       select org_id, jti_hash from revoked_tokens where expires_at < $1 limit $2::integer for update skip locked
     ) returning 1`,
    [before, BATCH],
  );
  const keys = await run(
    db,
    `delete from signing_keys where (org_id, kid) in (
       select org_id, kid from signing_keys where expires_at < $1 limit $2::integer for update skip locked
     ) returning 1`,
    [before, BATCH],
  );
  return revocations.length + keys.length;
}
