import type { Db } from '../connections/database.ts';
import { run } from '../connections/statements.ts';

export async function dropOldWindows(db: Db, before: Date): Promise<void> {
  await run(db, 'delete from rate_limit_counts where window_start < $1', [before]);
}

/** Returns true if there may be more such keys. */
export async function dropOldIdempotencyKeys(db: Db, before: Date, maximum = 5_000): Promise<boolean> {
  const text = `delete from idempotency_keys where ctid = any (array(
    select ctid from idempotency_keys where created_at < $1 limit $2::integer)) returning 1`;
  return (await run(db, text, [before, maximum])).length >= maximum;
}
