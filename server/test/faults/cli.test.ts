import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { createTestClient } from '../support/client.ts';
import { PNG } from '../support/multipart.ts';
import { gatehouse, newPlace, type Program, run, runServer, stopServer } from '../support/server-process.ts';

const place = beforeTests(() => newPlace());
let server: Program | null;

beforeAll(async () => {
  server = await runServer(place);
});
afterAll(async () => {
  if (server !== null) await stopServer(server);
  await place.remove();
});

const json = (text: string): unknown => JSON.parse(text);

async function bootstrap(): Promise<Readonly<Record<'orgId' | 'login' | 'apiToken' | 'caFile' | 'mailsUrl', string>>> {
  return json(await readFile(join(place.dataDirectory, 'bootstrap.json'), 'utf8')) as Awaited<
    ReturnType<typeof bootstrap>
  >;
}

async function clientWith(token: string, hostname = 'localhost') {
  const { caFile } = await bootstrap();
  return createTestClient({
    port: place.port,
    hostname,
    ca: await readFile(caFile, 'utf8'),
    headers: { authorization: `SSWS ${token}` },
  });
}

describe('usage', () => {
  test.each([[['nonsense']], [['org']], [['org', 'create']], [['mail', 'list', '--limit', 'many']], [['--nonsense']]])(
    '%j is refused with exit code 2',
    async (given) => {
      const { code, stdout, stderr } = await gatehouse(place, ...given);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).not.toBe('');
    },
  );

  test.each([[['org', 'list']], [['doctor']], [['log', 'verify']], [['mail', 'list']]])(
    '%j in a folder without an installation makes none, and says where it looked',
    async (given) => {
      const elsewhere = join(place.directory, 'elsewhere');
      const program = run(place, 'cli/gatehouse', given, { GATEHOUSE_DATA_DIR: elsewhere });
      expect(await program.ended).toBe(1);
      expect(program.output.stderr).toContain(`There is no installation in ${elsewhere}.`);
      expect(program.output.stderr).toContain('GATEHOUSE_DATA_DIR');
      expect(existsSync(elsewhere)).toBe(false);
    },
  );

  test('help and version are not failures', async () => {
    expect(await gatehouse(place, '--help')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('doctor') as string,
    });
    expect(await gatehouse(place, '--version')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string,
    });
  });
});

test('config shows every setting, secrets masked', async () => {
  const secret = {
    ...place,
    environment: { ...place.environment, GATEHOUSE_SMTP_URL: 'smtp://me:hidden-secret@mail.example' },
  };
  const { code, stdout } = await gatehouse(secret, 'config', '--json');
  expect(code).toBe(0);
  expect(stdout).not.toContain('hidden-secret');
  expect(json(stdout)).toContainEqual(
    expect.objectContaining({ name: 'GATEHOUSE_PORT', value: String(place.port), source: 'environment' }),
  );
});

describe('beside a running server', () => {
  test('org create, list, rename, domain add and proxy add', async () => {
    expect(await gatehouse(place, 'org', 'create', 'globex', '--name', 'Globex')).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(await gatehouse(place, 'org', 'rename', 'globex', 'globex-corp')).toMatchObject({ code: 0, stderr: '' });
    expect(await gatehouse(place, 'org', 'domain', 'add', 'id.globex.example', '--org', 'globex-corp')).toMatchObject({
      code: 0,
    });
    expect(await gatehouse(place, 'org', 'proxy', 'add', '10.0.0.0/8', '--org', 'globex-corp')).toMatchObject({
      code: 0,
    });
    const { stdout } = await gatehouse(place, 'org', 'list', '--json');
    expect(json(stdout)).toMatchObject([{ subdomain: 'acme' }, { subdomain: 'globex-corp', name: 'Globex' }]);
    const set = (...words: string[]) => gatehouse(place, 'org', 'set', ...words, '--org', 'globex-corp');
    expect(await set('passwordErrors', 'single')).toMatchObject({ code: 0, stderr: '' });
    expect(await set('rateLimits', '{"users":500}')).toMatchObject({ code: 0, stderr: '' });
    expect(await set('perTokenPercent', '0')).toMatchObject({ code: 1, stdout: '' });
    expect(await set('colour', 'blue')).toMatchObject({ code: 1, stdout: '' });
  });

  test('theme set, upload and remove change what the API shows', async () => {
    const theme = (...words: string[]) => gatehouse(place, 'theme', ...words, '--org', 'acme');
    const [logo, page] = [join(place.dataDirectory, 'logo.png'), join(place.dataDirectory, 'logo.html')];
    await writeFile(logo, PNG);
    await writeFile(page, '<html></html>');
    expect(await theme('set', 'primaryColorHex', '#ffcc00')).toMatchObject({ code: 0, stderr: '' });
    expect(await theme('upload', 'logo', logo)).toMatchObject({ code: 0, stderr: '' });
    const client = await clientWith((await bootstrap()).apiToken);
    const read = async () => {
      const [brand] = (await client.get('/api/v1/brands')).body;
      return (await client.get(new URL(brand._links.themes.href).pathname)).body[0];
    };
    expect(await read()).toMatchObject({ primaryColorHex: '#ffcc00', logo: expect.stringContaining('/fs/bco/7/') });
    expect(await theme('remove', 'logo')).toMatchObject({ code: 0, stderr: '' });
    expect(await theme('set', 'primaryColorHex', 'null')).toMatchObject({ code: 0, stderr: '' });
    expect(await read()).toMatchObject({ primaryColorHex: '#1a50b5', logo: null });
    for (const wrong of [
      ['set', 'primaryColorHex', 'red'],
      ['set', 'logo', '#ffffff'],
      ['upload', 'logo', page],
      ['upload', 'logo', `${page}.gone`],
    ]) {
      expect(await theme(...wrong)).toMatchObject({ code: 1, stdout: '' });
    }
    expect(await theme('upload', 'banner', logo)).toMatchObject({ code: 2, stdout: '' });
    client.close();
  });

  test.each([
    [['org', 'create', 'acme'], 'subdomain'],
    [['org', 'create', 'acme-admin'], '-admin'],
    [['org', 'create', 'Not A Name'], 'ubdomain'],
    [['org', 'proxy', 'add', 'nonsense', '--org', 'acme'], 'cidr'],
    [['org', 'rename', 'nobody', 'somebody'], 'nobody'],
    [['mail', 'list'], '--org'],
    [['token', 'create', '--org', 'acme'], '--user'],
    [['token', 'create', '--org', 'acme', '--user', 'nobody@example.com'], 'nobody@example.com'],
  ])('%j is refused in one line with exit code 1', async (given, part) => {
    const { code, stdout, stderr } = await gatehouse(place, ...given);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain(part);
  });

  test('token create gives a token with the privileges of its user', async () => {
    const { login } = await bootstrap();
    const made = await gatehouse(place, 'token', 'create', '--org', 'acme', '--user', login, '--name', 'ci', '--json');
    expect(made.code).toBe(0);
    const { token } = json(made.stdout) as { token: string };
    const client = await clientWith(token);
    expect(await client.get('/api/v1/users?limit=1')).toMatchObject({ status: 200 });
    client.close();
  });

  test('token create gives an org without anybody its first administrator', async () => {
    const made = await gatehouse(
      place,
      'token',
      'create',
      '--org',
      'globex-corp',
      '--administrator',
      'hank@globex.example',
      '--json',
    );
    expect(made).toMatchObject({ code: 0 });
    const { token, password } = json(made.stdout) as { token: string; password: string };
    expect(password).toMatch(/^\S{12,}$/);
    const client = await clientWith(token, 'globex-corp.localhost');
    expect((await client.get('/api/v1/users/hank@globex.example')).body).toMatchObject({ status: 'PASSWORD_EXPIRED' });
    client.close();
  });

  test('mail list shows the link of a mail that nobody sends', async () => {
    const { apiToken } = await bootstrap();
    const client = await clientWith(apiToken);
    const created = await client.post('/api/v1/users?activate=true', {
      body: { profile: { firstName: 'Grace', lastName: 'H', login: 'grace@example.com', email: 'grace@example.com' } },
    });
    client.close();
    expect(created.body).toMatchObject({ status: 'PROVISIONED' });
    const { stdout } = await gatehouse(place, 'mail', 'list', '--org', 'acme', '--json');
    expect(json(stdout)).toMatchObject([
      {
        recipient: 'grace@example.com',
        sent: null,
        link: expect.stringMatching(/^https:\/\/\S+\/welcome\/\S+$/) as string,
      },
    ]);
    const { stdout: text } = await gatehouse(place, 'mail', 'list', '--org', 'acme', '--text');
    expect(text).toContain('Activate');
  });

  test('mail key prints the address of the page of mails, and who opens it sees them', async () => {
    const { mailsUrl } = await bootstrap();
    const { stdout } = await gatehouse(place, 'mail', 'key');
    expect(stdout.trim()).toBe(mailsUrl);
    const another = await gatehouse(place, 'mail', 'key', '--org', 'globex-corp');
    expect(another.stdout).toContain('https://globex-corp.localhost:');
    const client = await clientWith('none');
    const { headers } = await client.get(new URL(mailsUrl).pathname + new URL(mailsUrl).search);
    const cookie = String(headers['set-cookie']).split(';')[0] ?? '';
    expect(await client.get('/dev/mails', { headers: { cookie } })).toMatchObject({ status: 200 });
    client.close();
  });

  test('log verify finds every chain intact, and a checkpoint in it', async () => {
    const { code, stdout } = await gatehouse(place, 'log', 'verify', '--json');
    expect(code).toBe(0);
    const rows = json(stdout) as { org: string; result: string; head: string; verified: number }[];
    expect(rows.map(({ org, result }) => ({ org, result }))).toEqual([
      { org: 'acme', result: 'intact' },
      { org: 'globex-corp', result: 'intact' },
    ]);
    const head = rows[0]?.head ?? '';
    expect(await gatehouse(place, 'log', 'verify', '--org', 'acme', '--checkpoint', head)).toMatchObject({ code: 0 });
    const forged = `${head.split(':')[0] ?? ''}:${'0'.repeat(64)}`;
    const refused = await gatehouse(place, 'log', 'verify', '--org', 'acme', '--checkpoint', forged);
    expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining('forked') as string });
  });

  test('doctor warns while bootstrap.json lies there, and is content when it is gone', async () => {
    const finding = async (check: string): Promise<unknown> => {
      const { code, stdout } = await gatehouse(place, 'doctor', '--json');
      expect(code).toBe(0);
      return (json(stdout) as { check: string; state: string }[]).find((row) => row.check === check)?.state;
    };
    expect(await finding('Bootstrap')).toBe('warn');
    const path = join(place.dataDirectory, 'bootstrap.json');
    const text = await readFile(path);
    await rm(path);
    expect(await finding('Bootstrap')).toBe('ok');
    await writeFile(path, text, { mode: 0o600 });
  });
});

describe('without a server', () => {
  beforeAll(async () => {
    if (server !== null) expect(await stopServer(server)).toBe(0);
    server = null;
  });

  test('commands start the database for themselves and stop it again', async () => {
    for (let round = 0; round < 2; round += 1) {
      expect(await gatehouse(place, 'org', 'list')).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('acme') as string,
      });
    }
  });

  test('migrate is done', async () => {
    const { code, stdout } = await gatehouse(place, 'migrate');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^The schema is at version \d+\.\n$/) as string,
    });
  });
});
