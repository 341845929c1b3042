import { setTimeout as delay } from 'node:timers/promises';
import type { Application } from '../../src/app/application.ts';
import { ROTATE_SIGNING_KEYS } from '../../src/oauth/keys/rotation/rotate-signing-key.ts';

/** The query that `untilDrained` repeats. It names no org, so a sweep for statements without an org must skip it. */
export const DRAINED_TEXT =
  'select exists (select 1 from log_inputs) or exists (select 1 from log_outbox) as has_events, ' +
  'exists (select 1 from jobs where kind = $1 and last_error is null and run_at <= $2) as has_keys_to_make';
const MOST_TRIES_FOR_KEYS = 200;

/** Waits until the outbox is empty and, within a limit, until no signing key is due to be made. */
export async function untilDrained(application: Application, now: () => Date): Promise<void> {
  // A long transaction in any database of the same PostgreSQL delays the relay, so there are many tries.
  for (let tries = 0; tries < 10_000; tries += 1) {
    // A test may have stopped the jobs, so the wait for keys is limited.
    const { rows } = await application.pool.query<{ has_events: boolean; has_keys_to_make: boolean }>(DRAINED_TEXT, [
      ROTATE_SIGNING_KEYS,
      now(),
    ]);
    const isWorthWaiting = rows[0]?.has_keys_to_make === true && tries < MOST_TRIES_FOR_KEYS;
    if (rows[0]?.has_events === false && !isWorthWaiting) return;
    await application.relay.drain();
    await delay(5);
  }
  throw new Error('the outbox did not become empty');
}
