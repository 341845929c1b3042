import { setTimeout as delay } from 'node:timers/promises';
import { LOCK_WAITS } from './citus.ts';
import type { TestService } from './service.ts';

async function isWaiting({ pool }: TestService['database']): Promise<boolean> {
  const { rows } = await pool.query<{ waiting: number }>(LOCK_WAITS);
  return (rows[0]?.waiting ?? 0) > 0;
}

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
    for (let tries = 0; !(await isWaiting(database)); tries += 1) {
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
