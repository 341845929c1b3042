import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { areSessionsShared, createPool, openClient, prepared, readerOver } from '../../src/platform/postgres/index.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { hasPackages } from '../support/debian-packages.ts';
import { openPooler, PGBOUNCER, type Pooler, type PoolMode } from '../support/pooler.ts';
import { freePorts, newPlace, type Place, run } from '../support/server-process.ts';
import { startTestService } from '../support/service.ts';

// Between Gatehouse and PostgreSQL, a pooler may keep connections for later clients, but must not share them.

describe.skipIf(!hasPackages('PgBouncer', { [PGBOUNCER]: 'pgbouncer' }))('behind PgBouncer', () => {
  let database: TestDatabase;
  let place: Place;
  let poolerPort = 0;
  let pooler: Pooler | undefined;

  beforeAll(async () => {
    database = await openTestDatabase();
    place = await newPlace();
    [poolerPort = 0] = await freePorts(1);
  });
  afterEach(async () => {
    await pooler?.close();
    pooler = undefined;
  });
  afterAll(async () => {
    await place.remove();
    await database.close();
  });

  async function open(mode: PoolMode): Promise<Pooler> {
    pooler = await openPooler(database.connection, poolerPort, mode);
    return pooler;
  }

  test('that pools sessions, everything works, and each pool has its own settings', async () => {
    const { connection } = await open('session');
    expect(await areSessionsShared(connection)).toBe(false);
    const service = await startTestService({ database: { ...database, connection }, maximumConnections: 4 });
    try {
      const { admin } = service.org;
      const { id } = await service.org.createUser();
      const changed = await admin.post(`/api/v1/users/${id}`, { body: { profile: { nickName: 'pooled' } } });
      expect(changed.status).toBe(200);
      await service.drained();
      const log = await admin.get(`/api/v1/logs?filter=target.id%20eq%20%22${id}%22`);
      expect(log.status).toBe(200);
      expect(log.body).toHaveLength(3);
    } finally {
      await service.close();
    }
    for (const [seconds, shown] of [
      [7, '7s'],
      [9, '9s'],
    ] as const) {
      const pool = createPool({
        connection,
        maximumConnections: 1,
        applicationName: 'pooled',
        statementTimeoutMilliseconds: seconds * 1_000,
      });
      const text = `select current_setting('statement_timeout') as statement, current_setting('timezone') as zone,
        current_setting('lock_timeout') as lock, current_setting('jit') as jit`;
      expect(await prepared(readerOver(pool), 'settings', text, [])).toEqual([
        { statement: shown, zone: 'UTC', lock: '3s', jit: 'off' },
      ]);
      await pool.end();
    }
  });

  test.each(['transaction', 'statement'] as const)(
    'with pool_mode = %s, the start says what to change',
    async (mode) => {
      const { url } = await open(mode);
      const settings = { GATEHOUSE_DATABASE_URL: url, GATEHOUSE_MASTER_KEY: randomBytes(32).toString('base64') };
      const server = run(place, 'process/start', [], settings);
      expect(await server.ended).toBe(1);
      expect(server.output.stderr).toContain('Gatehouse needs session pooling (pool_mode = session in PgBouncer).');
      const doctor = run(place, 'cli/gatehouse', ['doctor'], settings);
      expect(await doctor.ended).not.toBe(0);
      expect(`${doctor.output.stdout}${doctor.output.stderr}`).toContain('Gatehouse needs session pooling');
    },
  );
});

test('without a pooler, sessions are not shared, and each has the settings that it was opened with', async () => {
  const database = await openTestDatabase();
  const { connection } = database;
  expect(await areSessionsShared(connection)).toBe(false);
  const settings = { idle_in_transaction_session_timeout: '1234', default_transaction_isolation: 'serializable' };
  const client = await openClient(connection, { settings });
  const text = `select current_setting('idle_in_transaction_session_timeout') as idle,
    current_setting('transaction_isolation') as isolation`;
  expect((await client.query<Record<string, string>>(text)).rows).toEqual([
    { idle: '1234ms', isolation: 'serializable' },
  ]);
  await client.end();
  expect(await prepared(database.db, 'session_settings', text, [])).toEqual([
    { idle: '1min', isolation: 'read committed' },
  ]);
  await database.close();
});
