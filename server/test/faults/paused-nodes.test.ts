import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestClient, type TestClient } from '../support/client.ts';
import { openEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { newPlace, type Place, type Program, runServer, stopServer } from '../support/server-process.ts';
import { newProfile, userPath } from '../support/users.ts';

// F33 (docs/faults.md): one of two nodes stands still in the middle of a change, and goes on after the other one has
// changed the same user.

const IDLE_MILLISECONDS = 30_000;

let database: TestDatabase;
let places: Place[];
let paused: Program;
let other: Program;
let clients: TestClient[];

beforeAll(async () => {
  database = await openEmptyDatabase();
  const { host = '', port = 5432, user = '', database: name = '' } = database.connection;
  const settings = {
    GATEHOUSE_DATABASE_URL: `postgresql://${user}@/${name}?host=${encodeURIComponent(host)}&port=${port}`,
    GATEHOUSE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
  const [one, two] = [await newPlace(settings), await newPlace(settings)];
  places = [one, two];
  paused = await runServer(one);
  other = await runServer(two, { GATEHOUSE_DATA_DIR: one.dataDirectory });
  const { apiToken, caFile } = JSON.parse(await readFile(join(one.dataDirectory, 'bootstrap.json'), 'utf8'));
  const ca = await readFile(caFile, 'utf8');
  const headers = { authorization: `SSWS ${apiToken}` };
  clients = places.map(({ port: served }) => createTestClient({ port: served, hostname: 'localhost', ca, headers }));
});
afterAll(async () => {
  paused?.process.kill('SIGCONT');
  await Promise.all([paused, other].filter((node) => node !== undefined).map(stopServer));
  await Promise.all((places ?? []).map((place) => place.remove()));
  await database.close();
});

const sessionsThat = async (condition: string): Promise<number> => {
  const text = `select from pg_stat_activity where datname = current_database() and ${condition}`;
  return (await database.pool.query(text)).rows.length;
};

test('what a node decided before it stood still is not written when it goes on', async () => {
  const [late, awake] = clients;
  if (late === undefined || awake === undefined) throw new Error('two nodes');
  const { body: user } = await awake.post('/api/v1/users?activate=false', { body: { profile: newProfile() } });
  const rename = (client: TestClient, nickName: string) =>
    client.post(userPath(user.id), { body: { profile: { nickName } } });
  const holder = await database.pool.connect();
  await holder.query('begin');
  await holder.query('select from users where id = $1 for update', [user.id]);
  const renaming = rename(late, 'late');
  await expect.poll(() => sessionsThat(`wait_event_type = 'Lock'`), { interval: 10 }).toBe(1);
  paused.process.kill('SIGSTOP');
  await holder.query('rollback');
  holder.release();
  await expect.poll(() => sessionsThat(`state like 'idle in transaction%'`), { interval: 10 }).toBe(1);
  const freed = () => sessionsThat(`state like 'idle in transaction%'`);
  await expect.poll(freed, { interval: 100, timeout: IDLE_MILLISECONDS }).toBe(0);
  expect(await rename(awake, 'awake')).toMatchObject({ status: 200 });

  paused.process.kill('SIGCONT');
  expect(await renaming).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  for (const client of clients) expect((await client.get(userPath(user.id))).body.profile.nickName).toBe('awake');
  expect(await rename(late, 'late, but now')).toMatchObject({ status: 200 });
}, 60_000);
