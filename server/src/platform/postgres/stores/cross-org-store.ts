import type { Db } from '../connections/database.ts';
import { run } from '../connections/statements.ts';
import { type Outdated, sweep } from './sweep-store.ts';

const OLD_KEYS: Outdated = {
  table: 'idempotency_keys',
  key: { key_hash: 'bytea' },
  condition: 'created_at < $1',
};

/** Deletes the rate-limit windows (of any org) that began before a given time. */
export async function dropOldWindows(db: Db, before: Date): Promise<void> {
  await run(db, 'delete from rate_limit_counts where window_start < $1', [before]);
}

/** Deletes up to `maximum` idempotency keys created before a given time. Returns true if there may be more. */
export const dropOldIdempotencyKeys = (db: Db, before: Date, maximum?: number): Promise<boolean> =>
  sweep(db, OLD_KEYS, before, maximum);
