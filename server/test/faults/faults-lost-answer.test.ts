import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FROM_BUILD, freePorts, ServiceProcess } from '../../../tools/crash/service-process.ts';
import { createTestClient, type TestClient } from '../support/client.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { type DatabaseProxy, openDatabaseProxy } from '../support/database-proxy.ts';

// F2 (docs/faults.md): the server is killed after the commit, before the client gets the response. The client then
// repeats the request.

let database: TestDatabase;
let proxy: DatabaseProxy;
let directory: string;
let service: ServiceProcess;
let client: TestClient & { close(): void };

beforeAll(async () => {
  database = await openTestDatabase();
  proxy = await openDatabaseProxy(database.connection);
  directory = mkdtempSync(join(tmpdir(), 'gatehouse-lost-answer-'));
  const [port = 0, managementPort = 0] = await freePorts(2);
  service = new ServiceProcess({
    launch: FROM_BUILD,
    dataDirectory: directory,
    port,
    managementPort,
    environment: {
      GATEHOUSE_DATABASE_URL: proxy.url,
      GATEHOUSE_MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
    },
  });
  await service.start();
  const { apiToken, caFile } = await service.bootstrap();
  const ca = readFileSync(caFile, 'utf8');
  client = createTestClient({ port, hostname: 'localhost', ca, headers: { authorization: `SSWS ${apiToken}` } });
});
afterAll(async () => {
  client.close();
  await service.end('SIGTERM');
  await proxy.close();
  await database.close();
  rmSync(directory, { recursive: true, force: true });
});

async function loseAnswer(method: string, path: string, marker: string, options: Parameters<TestClient['send']>[2]) {
  const committed = proxy.holdCommitOf(marker);
  const answer = client.send(method, path, options).then(
    (response) => `${response.status} ${response.text}`,
    () => 'none',
  );
  // If the response won this race, the proxy would have held back no commit, and the test would prove nothing.
  expect(await Promise.race([committed, answer])).toBeUndefined();
  await service.end('SIGKILL');
  expect(await answer).toBe('none');
  proxy.cut();
  await service.start();
}

const newUser = (login: string) => ({ profile: { firstName: 'Lost', lastName: 'Answer', login, email: login } });

async function eventTypesOf(userId: string): Promise<string[]> {
  const waiting = 'select from log_inputs union all select from log_outbox';
  await expect.poll(async () => (await database.pool.query(waiting)).rowCount).toBe(0);
  const events = await client.get(`/api/v1/logs?filter=${encodeURIComponent(`target.id eq "${userId}"`)}`);
  return (events.body as { eventType: string }[]).map((event) => event.eventType);
}

const usersOf = async (login: string): Promise<{ id: string }[]> =>
  (await client.get(`/api/v1/users?filter=${encodeURIComponent(`profile.login eq "${login}"`)}`)).body;

describe('a commit whose answer is lost', () => {
  it('of a creation with an Idempotency-Key: the repetition finds what was created, and creates nothing', async () => {
    const login = `${randomUUID()}@example.com`;
    const options = { body: newUser(login), headers: { 'idempotency-key': randomUUID() } };
    await loseAnswer('POST', '/api/v1/users?activate=false', login, options);
    const again = await client.post('/api/v1/users?activate=false', options);
    expect(again.status).toBe(200);
    expect((await usersOf(login)).map((user) => user.id)).toEqual([again.body.id]);
    expect(await eventTypesOf(again.body.id)).toEqual(['user.lifecycle.create']);
  });

  it('of a creation without a key: the repetition is refused, and the user is there once', async () => {
    const login = `${randomUUID()}@example.com`;
    const options = { body: newUser(login) };
    await loseAnswer('POST', '/api/v1/users?activate=false', login, options);
    const again = await client.post('/api/v1/users?activate=false', options);
    expect(again).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    const users = await usersOf(login);
    expect(users).toHaveLength(1);
    expect(await eventTypesOf(users[0]?.id ?? '')).toEqual(['user.lifecycle.create']);
  });

  it('of an update with If-Match: the repetition is 412, and the change is there once', async () => {
    const login = `${randomUUID()}@example.com`;
    const { body: user, headers } = await client.post('/api/v1/users?activate=false', { body: newUser(login) });
    const nickName = randomUUID();
    const options = { body: { profile: { nickName } }, headers: { 'if-match': String(headers['etag']) } };
    await loseAnswer('POST', `/api/v1/users/${user.id}`, nickName, options);
    expect((await client.post(`/api/v1/users/${user.id}`, options)).status).toBe(412);
    expect((await client.get(`/api/v1/users/${user.id}`)).body.profile.nickName).toBe(nickName);
    expect(await eventTypesOf(user.id)).toEqual(['user.lifecycle.create', 'user.account.update_profile']);
  });
});
