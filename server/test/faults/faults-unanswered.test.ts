import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AnswerLateError, createPool, type Pool, sendQuery } from '../../src/platform/postgres/index.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { type DatabaseProxy, openDatabaseProxy } from '../support/database-proxy.ts';

// F6 (docs/faults.md): without a stall watch, a connection whose packets are not answered is closed by the pool itself.

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

async function backend(runner: Pick<Pool, 'query'>): Promise<unknown> {
  const { rows } = await sendQuery(runner, { text: 'select pg_backend_pid() as pid' });
  return rows[0];
}

describe('a connection of a pool', () => {
  it('is replaced after a packet without an answer, and everything that waited on it fails', async () => {
    const before = await backend(pool);
    proxy.standStill();
    const outcomes = await Promise.allSettled(['select 1', 'select 2'].map((text) => sendQuery(pool, { text })));
    proxy.goOn();
    expect(outcomes[0]).toMatchObject({ status: 'rejected', reason: expect.any(AnswerLateError) });
    expect(await backend(pool)).not.toEqual(before);
  });

  it('stays after errors, refused values and slow statements, which are answers', async () => {
    const client = await pool.connect();
    const ask = (text: string, ...values: unknown[]) => sendQuery(client, { text, values });
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    try {
      const before = await backend(client);
      await expect(ask('select 1/0')).rejects.toMatchObject({ code: '22012' });
      await expect(ask('select pg_sleep(5)')).rejects.toMatchObject({ code: '57014' });
      await expect(ask('select $1::text', circular)).rejects.toBeInstanceOf(TypeError);
      for (let count = 0; count < 4; count += 1) await ask('select pg_sleep(0.9)');
      expect(await backend(client)).toEqual(before);
    } finally {
      client.release();
    }
  });
});
