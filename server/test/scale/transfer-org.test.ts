import { readFile, symlink, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createTestClient, type TestResponse } from '../support/client.ts';
import { CODE_FACTOR, enroll, QUESTION_FACTOR } from '../support/factors.ts';
import { resealedExport } from '../support/org-files.ts';
import { openTransferCommandLine, type TransferCommandLine } from '../support/transfer-command-line.ts';

// Each command is a separate process, and some tests run several.
vi.setConfig({ testTimeout: 120_000 });

let from: TransferCommandLine;
let to: TransferCommandLine;
beforeAll(async () => {
  [from, to] = await Promise.all([openTransferCommandLine(), openTransferCommandLine()]);
  await fill();
});
afterAll(async () => {
  await Promise.all([from.close(), to.close()]);
});

const PASSWORD = 'Moves-House-1';
const user = (login: string, more = {}) => ({
  profile: { login, email: login, firstName: 'M', lastName: 'H' },
  credentials: { password: { value: PASSWORD } },
  ...more,
});

async function good(answer: Promise<TestResponse>): Promise<TestResponse['body']> {
  const { body, status, text } = await answer;
  if (status >= 300) throw new Error(`${status}: ${text}`);
  return body;
}

async function fill(): Promise<void> {
  const { admin } = from;
  const { id } = await good(admin.post('/api/v1/users?activate=true', { body: user('mover@m.co') }));
  await good(admin.post('/api/v1/users?activate=false', { body: user('é-accent@m.co') }));
  for (const body of [CODE_FACTOR, QUESTION_FACTOR]) await good(enroll(admin, id, body));
  await good(admin.post(`/api/v1/users/${id}/roles`, { body: { type: 'HELP_DESK_ADMIN' } }));
  const group = await good(admin.post('/api/v1/groups', { body: { profile: { name: 'Movers' } } }));
  await good(admin.put(`/api/v1/groups/${group.id}/users/${id}`));
  await good(
    admin.post('/api/v1/trustedOrigins', {
      body: { name: 'o', origin: 'https://m.example', scopes: [{ type: 'CORS' }] },
    }),
  );
  const app = await good(
    admin.post('/api/v1/apps', {
      body: {
        name: 'oidc_client',
        label: 'Mover',
        signOnMode: 'OPENID_CONNECT',
        credentials: { oauthClient: { token_endpoint_auth_method: 'client_secret_basic' } },
        settings: {
          oauthClient: { application_type: 'service', grant_types: ['client_credentials'], response_types: ['token'] },
        },
      },
    }),
  );
  expect(app.id).toMatch(/^0oa/);
  await good(
    admin.post('/api/v1/eventHooks', {
      body: {
        name: 'h',
        events: { type: 'EVENT_TYPE', items: ['user.lifecycle.create'] },
        channel: {
          type: 'HTTP',
          version: '1.0.0',
          config: {
            uri: 'https://hook.example/x',
            authScheme: { type: 'HEADER', key: 'Authorization', value: 'hook-secret-value' },
          },
        },
      },
    }),
  );
}

const exported = async (line: TransferCommandLine, name: string, ...given: string[]): Promise<Buffer> => {
  const { code, stderr } = await line.gatehouse('export', 'org', line.path(name), ...given);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return readFile(line.path(name));
};
const orgs = (): Promise<number> => to.count('select count(*) as count from orgs');

describe('an org that moves', () => {
  test('two exports are the same bytes; secrets and hashes are left out', async () => {
    const one = await exported(from, 'one.ndjson', '--org', 'acme');
    expect((await exported(from, 'two.ndjson', '--org', 'acme')).equals(one)).toBe(true);
    const text = one.toString('utf8');
    expect(text).toContain('"login":"mover@m.co"');
    expect(text).not.toMatch(
      /argon2id|hook-secret-value|sealed_secret":"|"table":"(app_secrets|signing_keys|api_tokens)"/,
    );
    expect(await from.events('system.org.export')).toMatchObject([
      { debugContext: { debugData: { phase: 'started', hashes: 'false', secrets: 'left out' } } },
      { debugContext: { debugData: { phase: 'completed' } } },
      {},
      {},
    ]);
  });

  test('a file is never replaced, nor a link, wherever it leads; the refusal is a sentence', async () => {
    await symlink(from.path('nowhere.ndjson'), from.path('link.ndjson'));
    for (const name of ['one.ndjson', 'link.ndjson']) {
      const { code, stderr } = await from.gatehouse('export', 'org', from.path(name), '--org', 'acme');
      expect(code).toBe(1);
      expect(stderr).toBe(`gatehouse: ${from.path(name)} already exists. Remove it first.\n`);
    }
  });

  test('its own installation refuses it: the ids are there', async () => {
    const { code, stderr } = await from.gatehouse('import', 'org', from.path('one.ndjson'));
    expect(code).toBe(1);
    expect(stderr).toContain('already exists in this installation');
  });

  test('a taken subdomain is refused, another one may be given', async () => {
    const before = await orgs();
    for (const given of [[], ['--keep', 'subdomain'], ['--keep', 'everything', '--dry-run']]) {
      const { code, stderr } = await to.gatehouse('import', 'org', from.path('one.ndjson'), ...given);
      expect(code).toBe(1);
      expect(stderr).toContain('--subdomain');
    }
    const trial = ['--dry-run', '--subdomain', 'tried'];
    const { code, stdout } = await to.gatehouse('import', 'org', from.path('one.ndjson'), ...trial);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('Nothing was written. The org would be'),
    });
    expect(await orgs()).toBe(before);
  });

  test('whose file says more than an org may is refused row by row, as the help says', async () => {
    const before = await orgs();
    const lines = (await readFile(from.path('one.ndjson'), 'utf8')).trim().split('\n').slice(0, -1);
    const moved = lines.map((line) => line.replaceAll(from.orgId, '00oCCCCCCCCCCCCCCCCC'));
    const at = moved.findIndex((line) => line.startsWith('{"table":"orgs"'));
    const taken = moved.with(at, (moved[at] ?? '').replace('"settings":{', '"settings":{"anything":1'));
    const file = await to.file('more.ndjson', resealedExport(taken));
    const { code, stdout } = await to.gatehouse('import', 'org', file, '--subdomain', 'more');
    expect(code).toBe(1);
    expect(stdout).toContain(`Line ${at + 1}, orgs: anything: There is no such setting.`);
    expect(await orgs()).toBe(before);
    expect((await to.gatehouse('import', 'org', '--help')).stdout).toContain('from a source that you trust');
    expect((await to.gatehouse('import', 'org', file, '--keep', 'all')).stderr).toContain('everything');
  });

  test('with hashes and secrets under a passphrase: users sign in, and it exports as the same bytes', async () => {
    await writeFile(from.path('pass'), 'a long enough passphrase\n');
    await writeFile(from.path('wrong'), 'another long passphrase\n');
    const whole = ['--org', 'acme', '--with-hashes', '--passphrase-file', from.path('pass')];
    const file = await exported(from, 'whole.ndjson', ...whole);
    expect(file.toString('utf8')).not.toContain('hook-secret-value');
    const path = from.path('whole.ndjson');
    const refusal = async (...given: string[]) => (await to.gatehouse('import', 'org', path, ...given)).stderr;
    expect(await refusal('--subdomain', 'moved')).toContain('--passphrase-file');
    expect(await refusal('--subdomain', 'moved', '--passphrase-file', from.path('wrong'))).toContain(
      "can't be decrypted",
    );
    const given = ['--subdomain', 'moved', '--passphrase-file', from.path('pass')];
    expect(await to.gatehouse('import', 'org', path, ...given)).toMatchObject({ code: 0 });
    const again = await exported(
      to,
      'again.ndjson',
      '--org',
      'moved',
      '--with-hashes',
      '--passphrase-file',
      from.path('pass'),
    );
    const back = again.toString('utf8').replace('"subdomain":"moved"', '"subdomain":"acme"').trim().split('\n');
    const first = file.toString('utf8').trim().split('\n');
    // The last lines differ, because the digests cover the different subdomains.
    expect(back.slice(0, -1)).toEqual(first.slice(0, -1));
    const client = createTestClient({ port: to.place.port, hostname: 'moved.localhost', ca: to.ca });
    const signIn = (password: string) => client.post('/api/v1/authn', { body: { username: 'mover@m.co', password } });
    expect(await signIn(PASSWORD)).toMatchObject({ status: 200, body: { status: 'SUCCESS' } });
    expect(await signIn('Wrong-Password-1')).toMatchObject({ status: 401 });
    client.close();
    expect(await to.gatehouse('log', 'verify')).toMatchObject({ code: 0 });
  }, 600_000);
});

describe('what is no whole export', () => {
  const text = async (): Promise<string> => readFile(from.path('one.ndjson'), 'utf8');
  const refused = async (name: string, changed: string): Promise<string> => {
    const before = await orgs();
    const { code, stderr } = await to.gatehouse('import', 'org', await to.file(name, changed), '--subdomain', 'other');
    expect(code).toBe(1);
    expect(await orgs()).toBe(before);
    return stderr;
  };

  test('cut short, or changed', async () => {
    const whole = await text();
    expect(await refused('cut.ndjson', whole.slice(0, -200))).toContain('is incomplete');
    expect(await refused('changed.ndjson', whole.replace('mover@m.co', 'm0ver@m.co'))).toContain('has been changed');
    expect(await refused('none.ndjson', '{"kind":"something"}\n')).toContain('not the export');
  });

  test('of another schema, or with rows of another org', async () => {
    const lines = (await text()).trim().split('\n').slice(0, -1);
    const other = lines.map((line) => line.replace(/"schema":\d+/, '"schema":3'));
    expect(await refused('schema.ndjson', resealedExport(other))).toContain('schema version 3');
    // These lines name an org that does not exist here.
    const moved = lines.map((line) => line.replaceAll(from.orgId, '00oAAAAAAAAAAAAAAAAA'));
    const index = moved.findIndex((line) => line.startsWith('{"table":"trusted_origins"'));
    const foreign = moved.with(index, (moved[index] ?? '').replace('00oAAAAAAAAAAAAAAAAA', to.orgId));
    expect(await refused('foreign.ndjson', resealedExport(foreign))).toContain('another org');
    const unknown = [...moved, '{"table":"log_events","row":{"org_id":"x"}}'];
    expect(await refused('unknown.ndjson', resealedExport(unknown))).toContain('log_events');
  });

  test('kill -9 in the middle leaves nothing behind', async () => {
    const lines = (await text()).trim().split('\n').slice(0, -1);
    const moved = lines.map((line) => line.replaceAll(from.orgId, '00oBBBBBBBBBBBBBBBBB'));
    const at = moved.findIndex((line) => line.startsWith('{"table":"groups"'));
    const everyone = moved.find((line) => line.includes('"name_key":"everyone"')) ?? '';
    // An export sorts the rows of a table by id, so these ids must come before those of the exported groups.
    const many = Array.from({ length: 40_000 }, (_, index) =>
      everyone
        .replace(/"id":"[^"]*"/, `"id":"00g${String(index).padStart(17, '0')}"`)
        .replace('"BUILT_IN"', '"NATIVE_GROUP"')
        .replaceAll(/everyone/gi, `g${index}`),
    );
    const file = await to.file('large.ndjson', resealedExport([...moved.slice(0, at), ...many, ...moved.slice(at)]));
    const before = await orgs();
    const program = to.begin('import', 'org', file, '--subdomain', 'large');
    // A transaction gets an id when it first writes something.
    const busy = `select count(*) as count from pg_stat_activity
      where backend_xid is not null and application_name = 'gatehouse-requests' and query like '%into groups %'`;
    while ((await to.count(busy)) === 0) await delay(5);
    program.process.kill('SIGKILL');
    await program.ended;
    while ((await to.count(busy)) > 0) await delay(20);
    expect(await orgs()).toBe(before);
    expect(await to.count('select count(*) as count from groups where org_id = $1', ['00oBBBBBBBBBBBBBBBBB'])).toBe(0);
    const second = await to.gatehouse('import', 'org', file, '--subdomain', 'large');
    expect(second.code, second.stderr).toBe(0);
    expect(await orgs()).toBe(before + 1);
  }, 600_000);
});
