import { setTimeout as delay } from 'node:timers/promises';
import type { TestService } from './service.ts';

const IS_WAITING = `select 1 from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and state = 'active'`;

/** Makes a change, sends a request, and commits the change once the request waits for a lock. */
export async function behind<Answer>(
  { database }: Pick<TestService, 'database'>,
  change: string,
  values: readonly unknown[],
  send: () => Promise<Answer>,
): Promise<Answer> {
  const client = await database.pool.connect();
  let isCommitted = false;
  try {
    await client.query('begin');
    await client.query(change, [...values]);
    const answer = send();
    for (let tries = 0; (await database.pool.query(IS_WAITING)).rows.length === 0; tries += 1) {
      if (tries > 500) throw new Error('nobody waits for the change');
      await delay(10);
    }
    await client.query('commit');
    isCommitted = true;
    return await answer;
  } finally {
    client.release(!isCommitted);
  }
}
