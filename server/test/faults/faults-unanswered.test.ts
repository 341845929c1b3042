import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AnswerLateError, createPool, type Pool, sendQuery } from '../../src/platform/postgres/index.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { type DatabaseProxy, openDatabaseProxy } from '../support/database-proxy.ts';

// F36 (docs/faults.md): without a stall watch, a connection whose packets are not answered is closed by the pool.

let database: TestDatabase;
let proxy: DatabaseProxy;
let pool: Pool;

beforeEach(async () => {
  database = await openTestDatabase();
  proxy = await openDatabaseProxy(database.connection);
  pool = createPool({
    connection: proxy.connection,
    maximumConnections: 1,
    applicationName: 'unanswered',
    statementTimeoutMilliseconds: 1_000,
  });
});
afterEach(async () => {
  proxy.cut();
  await pool.end();
  await proxy.close();
  await database.close();
});

/** The pool closes a connection 2.5 s after a packet that is not answered. */
const IDLE_MILLISECONDS = 3_500;

function circular(): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  return value;
}

async function backend(runner: Pick<Pool, 'query'>): Promise<unknown> {
  const { rows } = await sendQuery(runner, { text: 'select pg_backend_pid() as pid' });
  return rows[0];
}

describe('a connection of a pool', () => {
  it('is replaced after a packet without an answer, and everything that waited on it fails', async () => {
    const client = await pool.connect();
    const before = await backend(client);
    proxy.standStill();
    const outcomes = await Promise.allSettled(['select 1', 'select 2'].map((text) => sendQuery(client, { text })));
    proxy.goOn();
    client.release();
    const late = { status: 'rejected', reason: expect.any(AnswerLateError) };
    expect(outcomes).toMatchObject([late, late]);
    expect(await backend(pool)).not.toEqual(before);
  });

  it.each([
    ['an error', 'select 1/0', [], { code: '22012' }],
    ['an ended statement', 'select pg_sleep(5)', [], { code: '57014' }],
    ['a refused value', 'select $1::text', [circular()], { message: expect.stringContaining('circular') }],
  ])('stays after %s, which is an answer, and while statements are slow', async (_, text, values, refusal) => {
    const client = await pool.connect();
    try {
      const before = await backend(client);
      await expect(sendQuery(client, { text, values })).rejects.toMatchObject(refusal);
      // A packet that still counted as sent would close the connection now.
      await delay(IDLE_MILLISECONDS);
      for (let count = 0; count < 4; count += 1) await sendQuery(client, { text: 'select pg_sleep(0.9)' });
      expect(await backend(client)).toEqual(before);
    } finally {
      client.release();
    }
  });
});
