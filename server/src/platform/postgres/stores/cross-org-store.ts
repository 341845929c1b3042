import type { Db } from '../connections/database.ts';
import { run } from '../connections/statements.ts';

/** Deletes the rate-limit windows (of any org) that began before a given time. */
export async function dropOldWindows(db: Db, before: Date): Promise<void> {
  await run(db, 'delete from rate_limit_counts where window_start < $1', [before]);
}

/** Deletes up to `maximum` idempotency keys created before a given time. Returns true if there may be more. */
export async function dropOldIdempotencyKeys(db: Db, before: Date, maximum = 5_000): Promise<boolean> {
  const text = `delete from idempotency_keys where ctid = any (array(
    select ctid from idempotency_keys where created_at < $1 limit $2::integer)) returning 1`;
  return (await run(db, text, [before, maximum])).length >= maximum;
}
