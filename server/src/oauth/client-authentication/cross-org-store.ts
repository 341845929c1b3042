import { type Db, run } from '../../platform/postgres/index.ts';

/** Removes what is refused for its age anyway, in all orgs; at most 5,000 rows at a time. */
export async function dropOldUsedAssertions(db: Db, expiredBefore: Date): Promise<void> {
  const text = `delete from used_assertions where (org_id, client_id, jti_hash) in (
    select org_id, client_id, jti_hash from used_assertions where expires_at < $1 limit 5000 for update skip locked)`;
  await run(db, text, [expiredBefore]);
}
