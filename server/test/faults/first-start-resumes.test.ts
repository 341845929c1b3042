import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Bootstrap } from '../../src/installation/bootstrap-file.ts';
import { firstOrgOf } from '../../src/installation/first-org.ts';
import { type FirstOrg, firstStart } from '../../src/installation/first-start.ts';
import { namespaceOf } from '../../src/kernel/words/namespace.ts';
import { connectionsOver, verifyOrg } from '../../src/system-log/index.ts';
import { createTestClient } from '../support/client.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let directory: string;

beforeEach(async () => {
  service = await startTestService();
  directory = await mkdtemp(join(tmpdir(), 'gatehouse-first-start-'));
});
afterEach(async () => {
  await service.close();
  await rm(directory, { recursive: true, force: true });
});

const namespace = namespaceOf('svc');
const baseUrl = 'https://acme.localhost:8443';

const start = (firstOrg: FirstOrg): Promise<Bootstrap | null> =>
  firstStart({
    connection: service.database.connection,
    db: service.application.db,
    firstOrg,
    dataDirectory: directory,
    baseUrl,
    caFile: '/ca.pem',
    namespace: 'svc',
    mailsUrl: null,
  });

const wholeOrg = (): FirstOrg => firstOrgOf(service.application, namespace, baseUrl);

/** Makes the given step throw right after its commit, as if the process had been killed. */
function killedAfter(step: keyof FirstOrg): FirstOrg {
  const whole = wholeOrg();
  return new Proxy(whole, {
    get: (target, name) =>
      name === step
        ? async (...given: unknown[]) => {
            const run = Reflect.get(target, name) as (...all: unknown[]) => Promise<unknown>;
            await run(...given);
            throw new Error('killed');
          }
        : Reflect.get(target, name),
  });
}

async function usersOf(bootstrap: Bootstrap) {
  const client = createTestClient({
    port: service.port,
    hostname: 'acme.localhost',
    ca: service.ca,
    headers: { authorization: `SSWS ${bootstrap.apiToken}` },
  });
  try {
    const users = await client.get('/api/v1/users');
    const tokens = await client.get('/api/v1/api-tokens');
    const roles = await client.get(`/api/v1/users/${String(users.body[0]?.id)}/roles`);
    return { users: users.body, tokens: tokens.body, roles: roles.body };
  } finally {
    client.close();
  }
}

describe('a first start that was killed', () => {
  test.each(['createOrg', 'createAdministrator', 'assignSuperAdministrator', 'createApiToken'] as const)(
    'after %s is finished by the next one: one org, one administrator, one token, a way in',
    async (step) => {
      await expect(start(killedAfter(step))).rejects.toThrow('killed');
      const draft = JSON.parse(await readFile(join(directory, 'bootstrap.json.unfinished'), 'utf8')) as object;
      const bootstrap = await start(wholeOrg());
      expect(bootstrap).toMatchObject({ ...draft, subdomain: 'acme' });
      expect(JSON.parse(await readFile(join(directory, 'bootstrap.json'), 'utf8'))).toEqual(bootstrap);
      expect(await readdir(directory)).toEqual(['bootstrap.json']);
      if (bootstrap === null) throw new Error('nothing was made');
      const { users, tokens, roles } = await usersOf(bootstrap);
      expect(users).toMatchObject([{ status: 'PASSWORD_EXPIRED', profile: { login: bootstrap.login } }]);
      expect(tokens).toHaveLength(1);
      expect(roles).toMatchObject([{ type: 'SUPER_ADMIN' }]);
      expect(await start(wholeOrg())).toBeNull();
    },
  );

  test('and lost its data folder gives the administrator another password', async () => {
    await expect(start(killedAfter('createAdministrator'))).rejects.toThrow('killed');
    const { password } = JSON.parse(await readFile(join(directory, 'bootstrap.json.unfinished'), 'utf8')) as {
      password: string;
    };
    await rm(join(directory, 'bootstrap.json.unfinished'));
    const bootstrap = await start(wholeOrg());
    expect(bootstrap?.password).toMatch(/^\S{8,}$/);
    expect(bootstrap?.password).not.toBe(password);
  });

  test('between its file and its note is finished by the next one', async () => {
    const first = await start(wholeOrg());
    await service.database.pool.query(`delete from installation where name = 'first_start'`);
    const second = await start(wholeOrg());
    expect(second).toMatchObject({ orgId: first?.orgId, login: first?.login });
    if (second === null) throw new Error('nothing was made');
    expect((await usersOf(second)).tokens).toHaveLength(1);
  });
});

test('of two first starts at once one makes the org, and the other finds it made', async () => {
  const made = await Promise.all([start(wholeOrg()), start(wholeOrg())]);
  expect(made.filter((one) => one !== null)).toHaveLength(1);
  const { rows } = await service.database.pool.query(`select 1 from orgs where subdomain = 'acme'`);
  expect(rows).toHaveLength(1);
});

test('everything it makes is in the log of the org, whose chain holds', async () => {
  const bootstrap = await start(wholeOrg());
  await service.drained();
  const { rows } = await service.database.pool.query<{ event_type: string; actor_id: string }>(
    'select event_type, actor_id from log_unsealed where org_id = $1 order by position',
    [bootstrap?.orgId],
  );
  // A job creates the first signing key in the meantime.
  const firstKey = 'app.oauth2.as.key.rollover';
  const told = rows.map((row) => row.event_type);
  expect(told.filter((type) => type === firstKey)).toHaveLength(1);
  expect(told.filter((type) => type !== firstKey)).toEqual([
    'system.org.lifecycle.create',
    'user.lifecycle.create',
    'user.lifecycle.activate',
    'user.account.privilege.grant',
    'system.api_token.create',
  ]);
  const report = await verifyOrg(connectionsOver(service.application.pool), service.org.id);
  expect(report).toMatchObject({ ok: true, fault: null });
});
