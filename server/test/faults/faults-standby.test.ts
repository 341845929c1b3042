import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import { createInstallationMetrics, databaseChecks } from '../../src/platform/operations/index.ts';
import { migrate } from '../../src/platform/postgres/index.ts';
import { openPairDatabases } from '../support/pair-databases.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { openServerPair, type ServerPair } from '../support/standby.ts';
import { userPath } from '../support/users.ts';

// F32 (docs/faults.md): commits wait for a standby, and the standby is lost.

let pair: ServerPair;
let service: TestService;
let userId: string;
let checks: ReturnType<typeof databaseChecks>;
const databases = openPairDatabases();

beforeAll(async () => {
  pair = await openServerPair();
  await migrate({ ...pair.primary() });
  await pair.follow();
  const database = databases.databaseOf(pair.primary());
  checks = databaseChecks(database.db, 1);
  service = await startTestService({ database });
  ({ id: userId } = await service.org.createUser());
});
afterAll(async () => {
  await service?.close();
  await databases.close();
  await pair?.close();
});

const rename = (nickName: string) => service.org.admin.post(userPath(userId), { body: { profile: { nickName } } });
const nickName = async (): Promise<unknown> => (await service.org.admin.get(userPath(userId))).body.profile.nickName;
const updates = async (): Promise<number> => {
  const events = await service.org.systemLog('eventType eq "user.account.update_profile"');
  return events.length;
};

const waitingSessions = async (): Promise<readonly number[]> => {
  const text = `select pid from pg_stat_activity where wait_event = 'SyncRep' and query = 'commit'`;
  return (await service.database.pool.query<{ pid: number }>(text)).rows.map(({ pid }) => pid);
};

const UNKNOWN = {
  status: 503,
  headers: { 'retry-after': '1' },
  body: { errorCode: 'E0000181', errorCauses: [{ errorSummary: expect.stringMatching(/not known whether/) }] },
};
const REFUSED = { status: 503, headers: { 'retry-after': '1' }, body: { errorCode: 'E0000181', errorCauses: [] } };

it('a change is acknowledged only when a standby has it, and changes are refused while there is none', async () => {
  expect(await rename('with a standby')).toMatchObject({ status: 200 });
  expect(await checks['standby']?.()).toBeNull();
  expect(await updates()).toBe(1);
  const watch = service.application.stallWatch;

  await pair.stopStandby();
  // The outcome of this change is unknown, because its commit waits.
  expect(await rename('unconfirmed')).toMatchObject(UNKNOWN);
  await expect.poll(() => watch.state()).toBe('unconfirmed');
  const waiting = await waitingSessions();
  expect(waiting.length).toBeGreaterThan(0);
  // Nobody sees it, and further changes are refused before they are sent.
  expect(await nickName()).toBe('with a standby');
  for (const name of ['refused', 'refused too']) expect(await rename(name)).toMatchObject(REFUSED);
  expect(await waitingSessions()).toEqual(waiting);
  await expect(checks['standby']?.()).resolves.toBe('changes wait for a standby');
  expect(service.logged()).toContain('no standby confirms');

  await pair.startStandby();
  await expect.poll(() => watch.state()).toBe('well');
  await expect.poll(nickName).toBe('unconfirmed');
  expect(await rename('confirmed again')).toMatchObject({ status: 200 });
  expect(await nickName()).toBe('confirmed again');
  // The change whose outcome was unknown has its event, and the refused ones have none.
  expect(await updates()).toBe(3);
});

it('a change whose wait an administrator ends is not acknowledged, and is not made twice', async () => {
  const before = await updates();
  await pair.stopStandby();
  const renaming = rename('cancelled');
  await expect.poll(async () => (await waitingSessions()).length).toBe(1);
  await service.database.pool.query('select pg_cancel_backend($1)', [...(await waitingSessions())]);
  expect(await renaming).toMatchObject(UNKNOWN);
  expect(await nickName()).toBe('cancelled');
  await pair.startStandby();
  await expect.poll(() => service.application.stallWatch.state()).toBe('well');
  expect(await updates()).toBe(before + 1);
});

const lagLines = async (): Promise<string[]> => {
  const text = await createInstallationMetrics(service.database.db, systemClock)();
  return text.split('\n').filter((line) => line.startsWith('gatehouse_database_standby_lag_bytes{'));
};
const lagBytes = async (): Promise<number> => Number((await lagLines())[0]?.split(' ')[1] ?? Number.NaN);

it('the metrics tell what an asynchronous standby does not have yet, and a lost standby has none', async () => {
  const { pool } = service.database;
  await pool.query("alter system set synchronous_standby_names = ''");
  await pool.query('select pg_reload_conf()');
  await expect.poll(async () => (await lagLines())[0] ?? '').toMatch(/sync="async"\} \d+$/);
  const { rows } = await pool.query<{ pid: number }>('select pid from pg_stat_replication');
  const sender = rows[0]?.pid ?? 0;
  process.kill(sender, 'SIGSTOP');
  try {
    for (let count = 0; count < 5; count += 1) expect(await rename(`behind ${count}`)).toMatchObject({ status: 200 });
    expect(await lagBytes()).toBeGreaterThan(2_000);
  } finally {
    process.kill(sender, 'SIGCONT');
  }
  await expect.poll(lagBytes).toBe(0);
  await pair.stopStandby();
  await expect.poll(lagLines).toEqual([]);
});
