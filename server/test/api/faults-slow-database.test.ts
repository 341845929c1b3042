import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import {
  createInstallationMetrics,
  databaseChecks,
  type ManagementServer,
  startManagementServer,
} from '../../src/platform/management/index.ts';
import { createPool, isUnavailable, type Pool, readerOver } from '../../src/platform/postgres/index.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { type DatabaseProxy, openDatabaseProxy } from '../support/database-proxy.ts';
import { startTestService, type TestService } from '../support/service.ts';

// F6: the database answers half a second or five seconds late, or not at all.

let database: TestDatabase;
let proxy: DatabaseProxy;
let service: TestService;
let healthPool: Pool;
let management: ManagementServer;

beforeEach(async () => {
  database = await openTestDatabase();
  proxy = await openDatabaseProxy(database.connection);
  service = await startTestService({ database: { ...database, connection: proxy.connection }, maximumConnections: 4 });
  healthPool = createPool({
    connection: proxy.connection,
    maximumConnections: 2,
    applicationName: 'health',
    statementTimeoutMilliseconds: 2_000,
    acquireTimeoutMilliseconds: 2_000,
  });
  const db = readerOver(healthPool);
  management = await startManagementServer({
    host: '127.0.0.1',
    port: 0,
    checks: databaseChecks(db, 1),
    metrics: [createInstallationMetrics(db, systemClock)],
    onError: () => undefined,
  });
});
afterEach(async () => {
  proxy.delayAnswers(0);
  proxy.cut();
  await management.close();
  await healthPool.end();
  await service.close();
  await proxy.close();
  await database.close();
});

async function health(kind: 'live' | 'ready'): Promise<{ status: number; milliseconds: number }> {
  const start = performance.now();
  const response = await fetch(`http://127.0.0.1:${management.port}/health/${kind}`);
  await response.arrayBuffer();
  return { status: response.status, milliseconds: performance.now() - start };
}

describe('a database that answers late', () => {
  it('by half a second: everything works, only later', async () => {
    const { id } = await service.org.createUser();
    proxy.delayAnswers(500);
    const { admin } = service.org;
    const answers = await Promise.all([
      admin.get(`/api/v1/users/${id}`),
      admin.post(`/api/v1/users/${id}`, { body: { profile: { nickName: 'late' } } }),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
    expect((await health('live')).status).toBe(200);
  });

  it('by five seconds: load is shed with 503, the process lives, is not ready, and recovers by itself', async () => {
    const { id } = await service.org.createUser();
    proxy.delayAnswers(5_000);
    const start = performance.now();
    const reading = Promise.all(Array.from({ length: 40 }, () => service.org.admin.get(`/api/v1/users/${id}`)));
    const live = await health('live');
    expect(live.status).toBe(200);
    expect(live.milliseconds).toBeLessThan(1_000);
    const ready = await health('ready');
    expect(ready.status).toBe(503);
    expect(ready.milliseconds).toBeLessThan(4_000);
    const answers = await reading;
    const longest = performance.now() - start;
    const shed = answers.filter((answer) => answer.status === 503);
    expect(shed.length).toBeGreaterThan(20);
    for (const answer of shed) expect(answer.headers['retry-after']).toBe('1');
    expect(answers.filter((answer) => answer.status !== 503 && answer.status !== 200)).toEqual([]);
    expect(longest).toBeLessThan(45_000);
    proxy.delayAnswers(0);
    await expect.poll(async () => (await health('ready')).status, { timeout: 10_000 }).toBe(200);
    await expect
      .poll(async () => (await service.org.admin.get(`/api/v1/users/${id}`)).status, { timeout: 10_000 })
      .toBe(200);
  }, 90_000);
});

describe('a database that is not heard any more', () => {
  it('is given up a second after the statement had to be over, and counts as not available', async () => {
    const pool = createPool({
      connection: proxy.connection,
      maximumConnections: 1,
      applicationName: 'silent',
      statementTimeoutMilliseconds: 200,
    });
    await pool.query('select 1');
    proxy.silence();
    const start = performance.now();
    const failure: unknown = await pool.query('select 1').then(
      () => null,
      (error: unknown) => error,
    );
    expect(isUnavailable(failure)).toBe(true);
    expect(performance.now() - start).toBeLessThan(4_000);
    await pool.end();
  });
});
