import { afterAll, beforeAll, expect, it } from 'vitest';
import { databaseChecks, type ManagementServer, startManagementServer } from '../../src/platform/operations/index.ts';
import { migrate, readerOver } from '../../src/platform/postgres/index.ts';
import { type DatabaseProxy, openDatabaseProxy } from '../support/database-proxy.ts';
import { openPairDatabases } from '../support/pair-databases.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { ME, NO_SESSION, openSession } from '../support/session-tokens.ts';
import { openServerPair, type ServerPair } from '../support/standby.ts';
import { userPath } from '../support/users.ts';

// F5 (docs/faults.md): the address of the database leads to a server that lags behind the primary. A standby counts as
// an unavailable database.

let pair: ServerPair;
let proxy: DatabaseProxy;
let service: TestService;
let management: ManagementServer;
const databases = openPairDatabases();

beforeAll(async () => {
  pair = await openServerPair();
  await migrate({ ...pair.primary() });
});
afterAll(async () => {
  await management?.close();
  await service?.close();
  await databases.close();
  await proxy?.close();
  await pair.close();
});

const ready = async (): Promise<number> => (await fetch(`http://127.0.0.1:${management.port}/health/ready`)).status;

it('nothing is read from a standby, and the service goes on where there is a primary', async () => {
  const before = await startTestService({ database: databases.databaseOf(pair.primary()) });
  const { org } = before;
  const session = await openSession(before, org);
  const token = await org.withRoles('ORG_ADMIN');
  const headers = { cookie: `sid=${session.id}` };
  await before.drained();
  await before.close();
  const standby = await pair.copy();
  proxy = await openDatabaseProxy(pair.primary());
  service = await startTestService({ database: databases.databaseOf(proxy.connection) });
  const db = readerOver(databases.newPool(proxy.connection));
  management = await startManagementServer({
    host: '127.0.0.1',
    port: 0,
    checks: databaseChecks(db, 1),
    metrics: [],
    onError: () => undefined,
  });
  const holder = service.org.client(headers, org.hostname);
  const admin = service.org.client({ authorization: `SSWS ${org.adminToken}` }, org.hostname);
  expect((await holder.get(ME)).status).toBe(200);
  expect(await ready()).toBe(200);

  // These changes never reach the standby.
  expect((await admin.post(`${userPath(session.userId)}/lifecycle/suspend`)).status).toBe(200);
  expect((await admin.post(`${userPath(token.userId)}/lifecycle/suspend`)).status).toBe(200);
  service.clock.advance(1_000);
  expect(await holder.get(ME)).toMatchObject(NO_SESSION);

  proxy.redirect(standby);
  service.clock.advance(1_000);
  const attempts = [
    () => holder.get(ME),
    () => holder.post(`${ME}/refresh`),
    () => admin.get(userPath(session.userId)),
    () => admin.post(userPath(session.userId), { body: { profile: { nickName: 'N' } } }),
  ];
  for (const attempt of attempts) {
    expect(await attempt()).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  }
  expect(await ready()).toBe(503);

  proxy.redirect(pair.primary());
  await expect.poll(async () => (await admin.get(userPath(session.userId))).status).toBe(200);
  expect((await admin.get(userPath(session.userId))).body.status).toBe('SUSPENDED');
  expect(await holder.get(ME)).toMatchObject(NO_SESSION);
  await expect.poll(ready).toBe(200);

  // The standby becomes the primary. It never got the suspensions, so the session is valid again.
  proxy.redirect(standby);
  await pair.promote();
  service.clock.advance(1_000);
  await expect.poll(async () => (await holder.get(ME)).status).toBe(200);
  const changed = await admin.post(userPath(session.userId), { body: { profile: { nickName: 'N' } } });
  expect(changed.status).toBe(200);
  expect((await admin.get(userPath(session.userId))).body.profile.nickName).toBe('N');
  expect((await admin.post(`${userPath(session.userId)}/lifecycle/suspend`)).status).toBe(200);
  expect(await holder.get(ME)).toMatchObject(NO_SESSION);
});
