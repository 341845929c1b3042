import type pg from 'pg';
import type { ConnectionSettings } from './connection-settings.ts';
import { openClient } from './primary-client.ts';

/** A busy pooler may give two connections the same sessions for some time by chance. */
const QUESTIONS = 5;

const QUESTION = { text: 'select pg_backend_pid() as pid', query_timeout: 5_000 };

async function sessionOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>(QUESTION);
  return rows[0]?.pid ?? 0;
}

/**
 * Tests whether a pooler between this process and PostgreSQL gives a session to other connections between two
 * transactions, as PgBouncer does with `pool_mode = transaction` or `statement`. Advisory locks, prepared statements
 * and the settings of a session are then those of others, too.
 */
export async function areSessionsShared(settings: ConnectionSettings): Promise<boolean> {
  const clients: pg.Client[] = [];
  const sessions = new Set<string>();
  try {
    for (const application of ['one', 'other'])
      clients.push(
        await openClient(settings, { application_name: `gatehouse-${application}`, connectionTimeoutMillis: 10_000 }),
      );
    for (let question = 0; question < QUESTIONS; question += 1)
      for (const [index, client] of clients.entries()) sessions.add(`${index} ${await sessionOf(client)}`);
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
  const ids = new Set([...sessions].map((session) => session.split(' ')[1]));
  return sessions.size !== clients.length || ids.size !== clients.length;
}
