import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConnectionSettings, migrate, serversOf } from '../../src/platform/postgres/index.ts';
import { openExternalDatabase } from '../../src/process/database/database.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { type DatabaseProxy, openDatabaseProxy } from '../support/database-proxy.ts';
import { openPairDatabases } from '../support/pair-databases.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { openServerPair, type ServerPair } from '../support/standby.ts';
import { userPath } from '../support/users.ts';

// F5 (docs/faults.md): after a failover, the former primary comes back.

let pair: ServerPair;
let standby: ConnectionSettings;
let primary: ConnectionSettings;
let proxy: DatabaseProxy;
/** One service knows both servers. The other one has a single address, which a proxy directs to either. */
let listing: TestService;
let proxied: TestService;
let folder: string;
const databases = openPairDatabases();

const addressOf = ({ host = '', port = 0 }: ConnectionSettings) => ({ host, port });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gh-known-'));
  pair = await openServerPair();
  await migrate({ ...pair.primary() });
  standby = await pair.follow();
  primary = pair.primary();
  proxy = await openDatabaseProxy(primary);
  proxied = await startTestService({ database: databases.databaseOf(proxy.connection) });
  const both = { ...primary, servers: [addressOf(standby), addressOf(primary)] };
  await serversOf(both).search();
  listing = await startTestService({ database: databases.databaseOf(both) });
});
afterAll(async () => {
  await listing?.close();
  await proxied?.close();
  await databases.close();
  await proxy?.close();
  await pair?.close();
  await rm(folder, { recursive: true, force: true });
});

const urlOf = ({ host = '' }: ConnectionSettings): string =>
  `postgresql://gatehouse@/gatehouse?host=${encodeURIComponent(host)}`;

/** Opens the database as a start does, and returns why the start was refused, or null. */
async function refusalOf(connection: ConnectionSettings, suffix = ''): Promise<string | null> {
  const config = { ...loadConfig({}), dataDirectory: folder };
  return openExternalDatabase(config, `${urlOf(connection)}${suffix}`).then(
    () => null,
    (error: Error) => error.message,
  );
}

it('among several servers the primary is found, and a former primary is refused wherever it is met', async () => {
  const { id } = await listing.org.createUser();
  const rename = (service: TestService, userId: string, nickName: string) =>
    service.org.admin.post(userPath(userId), { body: { profile: { nickName } } });
  const { id: other } = await proxied.org.createUser();
  expect(await refusalOf(primary)).toBeNull();

  await pair.stopPrimary();
  await pair.promote();
  proxy.redirect(standby);
  await expect.poll(async () => (await rename(listing, id, 'after')).status, { timeout: 20_000 }).toBe(200);
  await expect.poll(async () => (await rename(proxied, other, 'after')).status, { timeout: 20_000 }).toBe(200);
  await expect.poll(() => refusalOf(standby)).toBeNull();

  await pair.startPrimary();
  proxy.redirect(primary);
  // The former primary would answer this, with the data of before.
  expect((await proxied.org.admin.get(userPath(other))).status).toBe(503);
  expect((await rename(proxied, other, 'lost')).status).toBe(503);
  expect(await rename(listing, id, 'still there')).toMatchObject({ status: 200 });
  expect(await refusalOf(primary)).toMatch(
    /former primary: its timeline is 1, the latest is 2.* delete .*database-server/,
  );

  proxy.redirect(standby);
  await expect.poll(async () => (await proxied.org.admin.get(userPath(other))).status, { timeout: 20_000 }).toBe(200);
  const { body } = await proxied.org.admin.get(userPath(other));
  expect(body.profile.nickName).toBe('after');
  await rm(join(folder, 'database-server.json'));
  // Another process, which has not met the new primary, would have no reason to refuse this.
  expect(await refusalOf(primary, '&application_name=next')).toBeNull();
});
