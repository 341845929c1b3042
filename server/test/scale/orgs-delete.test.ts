import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { createTestClient, type TestClient } from '../support/client.ts';
import { openTransferCommandLine } from '../support/transfer-command-line.ts';

vi.setConfig({ testTimeout: 600_000 });

const line = beforeTests(() => openTransferCommandLine());

const TABLE = (name: string, users: number): string => {
  const rows = Array.from({ length: users }, (_, index) => `u${index}@${name}.co,u${index}@${name}.co,U,${index}`);
  return `login,email,firstName,lastName\n${rows.join('\n')}\n`;
};

async function newOrg(name: string, users: number): Promise<{ id: string; admin: TestClient }> {
  const made = await line.gatehouse('org', 'create', name);
  expect(made).toMatchObject({ code: 0 });
  const token = await line.gatehouse('token', 'create', '--org', name, '--administrator', `root@${name}.co`, '--json');
  expect(token).toMatchObject({ code: 0 });
  const headers = { authorization: `SSWS ${(JSON.parse(token.stdout) as { token: string }).token}` };
  const admin = createTestClient({ port: line.place.port, hostname: `${name}.localhost`, ca: line.ca, headers });
  expect(await admin.get('/api/v1/users/me')).toMatchObject({ status: 200 });
  const file = await line.file(`${name}.csv`, TABLE(name, users));
  expect(await line.importUsers(file, '--org', name)).toMatchObject({ code: 0, report: { created: users } });
  return { id: made.stdout.split(/\s+/)[0] ?? '', admin };
}

const rowsOf = (orgId: string): Promise<number> =>
  line.count('select count(*) as count from users where org_id = $1', [orgId]);

async function tablesWith(orgId: string): Promise<string[]> {
  const { rows } = await line.pool.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id'
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    if ((await line.count(`select count(*) as count from ${name} where org_id = $1`, [orgId])) > 0) found.push(name);
  }
  return found;
}

/** Creates and reads users until the returned function is called. Counts responses by status, and lost ones as 0. */
function load(client: TestClient, name: string, statuses: Map<number, number>): () => Promise<void> {
  const stopping = new AbortController();
  const note = (status: number): void => void statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const run = async (worker: number): Promise<void> => {
    for (let index = 0; !stopping.signal.aborted; index += 1) {
      const login = `w${worker}.${index}@${name}.co`;
      const body = { profile: { login, email: login, firstName: 'W', lastName: 'L' } };
      await client.post('/api/v1/users?activate=false', { body }).then(
        ({ status }) => note(status),
        () => note(0),
      );
      await client.get(`/api/v1/users/${login}`).then(
        ({ status }) => note(status),
        () => note(0),
      );
      await delay(5);
    }
  };
  const running = Promise.all([run(0), run(1)]);
  return async () => {
    stopping.abort();
    await running;
  };
}

test('the first org stays, and a name has to be said twice', async () => {
  const first = await line.gatehouse('org', 'delete', 'acme', '--confirm', 'acme');
  expect(first).toMatchObject({ code: 1 });
  expect(first.stderr).toContain('first org');
  const { id } = await newOrg('kept', 3);
  const unsure = await line.gatehouse('org', 'delete', 'kept', '--confirm', 'acme');
  expect(unsure).toMatchObject({ code: 1 });
  expect(unsure.stderr).toContain('--confirm kept');
  expect(await rowsOf(id)).toBe(4);
});

test('under load and with a kill in the middle: closed at once, and gone in the end', async () => {
  const USERS = 2_500;
  const gone = await newOrg('gone', USERS);
  const before = await rowsOf(line.orgId);
  const inOther = new Map<number, number>();
  const inGone = new Map<number, number>();
  const stops = [load(line.admin, 'other', inOther), load(gone.admin, 'gone', inGone)];
  while ((inGone.get(200) ?? 0) < 10) await delay(20);

  const command = line.begin('org', 'delete', 'gone', '--confirm', 'gone');
  const isSaid = (): boolean => command.output.stdout.includes("can't be reached");
  while (!isSaid() && command.process.exitCode === null) await delay(10);
  expect(isSaid(), command.output.stderr).toBe(true);
  // A process caches an org for at most one second.
  await delay(1_200);
  inGone.clear();
  const values = 'select count(*) as count from user_attribute_values where org_id = $1';
  const enough = USERS * 8;
  for (let left = Infinity; left > enough; left = await line.count(values, [gone.id])) await delay(5);
  expect(await rowsOf(gone.id)).toBeGreaterThan(0);
  await line.crash();
  command.process.kill('SIGKILL');
  await command.ended;
  await Promise.all(stops.map((stop) => stop()));
  expect([...inGone.keys()].filter((status) => status !== 404 && status !== 0)).toEqual([]);
  expect(inOther.get(200)).toBeGreaterThan(0);

  await line.restart();
  // The certificate may no longer name the deleted org's host. The client then fails instead of getting 404.
  const refusal = await gone.admin.get('/api/v1/users/me').then(
    ({ status }) => status,
    (error: unknown) => Reflect.get(Object(error), 'code'),
  );
  expect([404, 'ERR_TLS_CERT_ALTNAME_INVALID']).toContain(refusal);
  const end = performance.now() + 240_000;
  while ((await tablesWith(gone.id)).length > 0 && performance.now() < end) await delay(500);
  expect(await tablesWith(gone.id)).toEqual([]);
  while ((await line.count('select count(*) as count from orgs where id = $1', [gone.id])) > 0) await delay(200);

  expect(await rowsOf(line.orgId)).toBeGreaterThanOrEqual(before);
  expect(await line.events('account.org.delete.request')).toMatchObject([
    {
      target: [{ id: gone.id, type: 'Org', alternateId: 'gone' }],
      debugContext: { debugData: { logEnd: expect.stringMatching(/^\d+:[0-9a-f]{64}$/) } },
    },
  ]);
  expect(await line.events('system.org.lifecycle.delete')).toMatchObject([{ target: [{ id: gone.id }] }]);
  expect(await line.gatehouse('log', 'verify')).toMatchObject({ code: 0 });
  expect(await line.gatehouse('org', 'create', 'gone')).toMatchObject({ code: 0 });
});

test('without a server the command deletes by itself', async () => {
  const { id } = await newOrg('alone', 50);
  await line.halt();
  const deleted = await line.gatehouse('org', 'delete', 'alone', '--confirm', 'alone');
  expect(deleted).toMatchObject({ code: 0 });
  await line.restart();
  expect(await tablesWith(id)).toEqual([]);
  expect((await line.gatehouse('org', 'list', '--json')).stdout).not.toContain(id);
});
