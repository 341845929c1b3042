import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import {
  createInstallationMetrics,
  databaseChecks,
  type ManagementServer,
  startManagementServer,
} from '../../src/platform/operations/index.ts';
import { createPool, isUnavailable, type Pool, readerOver, sendQuery } from '../../src/platform/postgres/index.ts';
import { newServer, SERVERS } from '../support/authorization-servers.ts';
import type { TestResponse } from '../support/client.ts';
import { whileBusy } from '../support/cpu-time.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { type DatabaseProxy, openDatabaseProxy } from '../support/database-proxy.ts';
import { newProfile, startTestService, type TestService } from '../support/service.ts';

// F6 (docs/faults.md): the database answers half a second late, five seconds late, or not at all.

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
  it('by half a second: everything works, only later, and no statement is too long', async () => {
    const { id } = await service.org.createUser();
    proxy.delayAnswers(500);
    const long = service.application.pool.query('select pg_sleep(4.5)');
    const { admin } = service.org;
    const answers = await Promise.all([
      admin.get(`/api/v1/users/${id}`),
      admin.post(`/api/v1/users/${id}`, { body: { profile: { nickName: 'late' } } }),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
    expect((await health('live')).status).toBe(200);
    // The stall watch tolerates a long statement while the database answers its probe on another connection.
    expect((await long).rowCount).toBe(1);
    expect(service.application.stallWatch.state()).toBe('well');
  });

  it('by five seconds: load is shed with 503, the process lives, is not ready, and recovers by itself', async () => {
    const { id } = await service.org.createUser();
    proxy.delayAnswers(5_000);
    const start = performance.now();
    const reading = Promise.all(Array.from({ length: 40 }, () => service.org.admin.get(`/api/v1/users/${id}`)));
    const live = await health('live');
    expect(live.status).toBe(200);
    expect(live.milliseconds).toBeLessThan(whileBusy(1_000));
    const ready = await health('ready');
    expect(ready.status).toBe(503);
    expect(ready.milliseconds).toBeLessThan(whileBusy(4_000));
    const answers = await reading;
    const longest = performance.now() - start;
    const shed = answers.filter((answer) => answer.status === 503);
    expect(shed.length).toBeGreaterThan(20);
    for (const answer of shed) expect(answer.headers['retry-after']).toBe('1');
    expect(answers.filter((answer) => answer.status !== 503 && answer.status !== 200)).toEqual([]);
    expect(longest).toBeLessThan(whileBusy(45_000));
    proxy.delayAnswers(0);
    await expect.poll(async () => (await health('ready')).status).toBe(200);
    await expect.poll(async () => (await service.org.admin.get(`/api/v1/users/${id}`)).status).toBe(200);
  });
});

interface Timed {
  readonly response: TestResponse;
  readonly milliseconds: number;
}

async function timed(asked: Promise<TestResponse>): Promise<Timed> {
  const start = performance.now();
  return { response: await asked, milliseconds: performance.now() - start };
}

const lines = (): { level: number; msg: string; err?: unknown; stack?: unknown }[] =>
  service
    .logged()
    .split('\n')
    .filter((line) => line !== '' && !line.includes('"requestId"'))
    .map((line) => JSON.parse(line));

const WARNING = 40;

const documentsOf = (serverId: string): string[] => [
  `/oauth2/${serverId}/v1/keys`,
  `/oauth2/${serverId}/.well-known/openid-configuration`,
  `/oauth2/${serverId}/.well-known/oauth-authorization-server`,
  `/.well-known/oauth-authorization-server/oauth2/${serverId}`,
];

const DOCUMENTS = [
  '/oauth2/v1/keys',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
  ...documentsOf('default'),
];

const bodiesOf = async (paths: readonly string[]): Promise<unknown[]> => {
  const answers = await Promise.all(paths.map((path) => service.org.anonymous.get(path)));
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
  return answers.map(({ body }) => body);
};

const statusesOf = async (paths: readonly string[], org = service.org): Promise<number[]> =>
  (await Promise.all(paths.map((path) => org.anonymous.get(path)))).map(({ status }) => status);

describe('a database that stands still', () => {
  it('has whoever asks told within five seconds, the next ones at once, and all is well when it goes on', async () => {
    const { admin, createUser } = service.org;
    const { id } = await createUser();
    await bodiesOf(DOCUMENTS);
    const login = 'unheard@example.com';
    const held = proxy.holdCommitOf(login);
    const unheard = timed(admin.post('/api/v1/users', { body: { profile: newProfile({ login }) } }));
    await held;
    proxy.standStill();
    const begun = Promise.all([
      timed(admin.get(`/api/v1/users/${id}`)),
      timed(admin.post(`/api/v1/users/${id}`, { body: { profile: { nickName: 'still' } } })),
      timed(admin.get('/api/v1/logs')),
      timed(service.org.anonymous.get('/signin')),
      // There are more requests than connections in the pool, so some of them wait for a connection.
      ...Array.from({ length: 8 }, () => timed(admin.get(`/api/v1/users/${id}`))),
    ]);
    const ready = await health('ready');
    expect(ready.status).toBe(503);
    for (const { milliseconds, response } of [...(await begun), await unheard]) {
      expect(response).toMatchObject({ status: 503, body: { errorCode: 'E0000181' }, headers: { 'retry-after': '1' } });
      expect(milliseconds).toBeLessThan(whileBusy(5_000));
    }
    expect(service.application.stallWatch.state()).toBe('stalled');
    const refused = await timed(admin.get(`/api/v1/users/${id}`));
    expect(refused.response.status).toBe(503);
    expect(refused.milliseconds).toBeLessThan(whileBusy(1_000));

    proxy.goOn();
    await expect.poll(async () => (await admin.get(`/api/v1/users/${id}`)).status).toBe(200);
    // The client got an error for this user, because the database had committed but could not confirm the commit.
    expect((await admin.get(`/api/v1/users/${login}`)).status).toBe(200);
    await expect.poll(async () => (await health('ready')).status).toBe(200);

    const told = lines().filter(({ level }) => level >= WARNING);
    expect(told.filter(({ msg }) => msg.startsWith('the database does not respond'))).toHaveLength(1);
    expect(lines().filter(({ msg }) => msg === 'the database is reachable again')).toHaveLength(1);
    // At most one other warning is logged.
    expect(told.length).toBeLessThanOrEqual(2);
    expect(service.logged()).not.toContain('"stack"');
  });
});

describe('documents that anybody may read', () => {
  it('are told as they were for ten minutes while the database stands still, and nothing else is', async () => {
    const { admin, anonymous } = service.org;
    const stranger = await service.newOrg();
    const { id: rotated } = (await admin.post(SERVERS, { body: newServer() })).body;
    const { id: closed } = (await admin.post(SERVERS, { body: newServer() })).body;
    await bodiesOf([...documentsOf(rotated), ...documentsOf(closed)]);
    const [former] = await bodiesOf(documentsOf(rotated));
    // A change made by this process updates its copies of the public documents at once.
    const rotation = await admin.post(`${SERVERS}/${rotated}/credentials/lifecycle/keyRotate`, {
      body: { use: 'sig' },
    });
    expect(rotation.status).toBe(200);
    expect((await admin.post(`${SERVERS}/${closed}/lifecycle/deactivate`)).status).toBe(204);
    // A server's first key is created when it is first needed, which also changes the public documents.
    await bodiesOf([...DOCUMENTS, ...documentsOf(rotated)]);
    await service.drained();
    const known = await bodiesOf(DOCUMENTS);
    const [rotatedKeys] = await bodiesOf(documentsOf(rotated));
    expect(rotatedKeys).not.toEqual(former);
    expect(service.application.routes.filter((route) => route.keptWithoutDatabase === true)).toHaveLength(
      DOCUMENTS.length,
    );

    proxy.standStill();
    await expect.poll(() => service.application.stallWatch.state()).toBe('stalled');
    expect(await bodiesOf(DOCUMENTS)).toEqual(known);
    expect((await bodiesOf(documentsOf(rotated)))[0]).toEqual(rotatedKeys);
    expect(await statusesOf(documentsOf(closed))).toEqual([503, 503, 503, 503]);
    expect(await statusesOf(DOCUMENTS, stranger)).toEqual(DOCUMENTS.map(() => 503));
    const others = ['/signin', '/.well-known/svc-organization', '/.well-known/webfinger?resource=acct:a@b.example'];
    expect(await statusesOf(others)).toEqual(others.map(() => 503));
    expect((await admin.get(`${SERVERS}/default/credentials/keys`)).status).toBe(503);

    service.clock.advance(10 * 60_000);
    const late = await anonymous.get('/oauth2/v1/keys');
    expect(late).toMatchObject({ status: 503, body: { errorCode: 'E0000181' }, headers: { 'retry-after': '1' } });
    proxy.goOn();
    await expect.poll(async () => statusesOf(DOCUMENTS)).toEqual(DOCUMENTS.map(() => 200));
  });
});

describe('a database that is not heard any more', () => {
  it('is given up a second after the statement had to be over, and counts as not available', async () => {
    const pool = createPool({
      connection: proxy.connection,
      maximumConnections: 1,
      applicationName: 'silent',
      statementTimeoutMilliseconds: 200,
    });
    await sendQuery(pool, { text: 'select 1' });
    proxy.silence();
    const start = performance.now();
    const failure: unknown = await sendQuery(pool, { text: 'select 1' }).then(
      () => null,
      (error: unknown) => error,
    );
    expect(isUnavailable(failure)).toBe(true);
    expect(performance.now() - start).toBeLessThan(whileBusy(4_000));
    await pool.end();
  });
});
