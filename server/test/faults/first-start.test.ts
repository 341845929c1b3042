import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestClient, type TestClient } from '../support/client.ts';
import { newPlace, type Place, type Program, run, runServer, stopServer } from '../support/server-process.ts';

const execute = promisify(execFile);

interface BootstrapFile {
  baseUrl: string;
  consoleUrl: string;
  orgId: string;
  subdomain: string;
  login: string;
  password: string;
  apiToken: string;
  caFile: string;
  mailsUrl: string;
  namespace: string;
}

const KEYS = 'apiToken baseUrl caFile consoleUrl login mailsUrl namespace orgId password subdomain'.split(' ');

const readBootstrap = async (place: Place): Promise<BootstrapFile> =>
  JSON.parse(await readFile(join(place.dataDirectory, 'bootstrap.json'), 'utf8')) as BootstrapFile;

async function clientOf(place: Place, bootstrap: BootstrapFile): Promise<TestClient & { close(): void }> {
  return createTestClient({
    port: place.port,
    hostname: 'localhost',
    ca: await readFile(bootstrap.caFile, 'utf8'),
    headers: { authorization: `SSWS ${bootstrap.apiToken}` },
  });
}

function managementStatus(place: Place, path: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port: place.managementPort, path }, (incoming) => {
      let text = '';
      incoming.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8');
      });
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text }));
    })
      .on('error', reject)
      .end();
  });
}

describe('the first start', () => {
  let place: Place;
  let server: Program;
  let bootstrap: BootstrapFile;
  let client: TestClient & { close(): void };

  beforeAll(async () => {
    place = await newPlace();
    server = await runServer(place);
    bootstrap = await readBootstrap(place);
    client = await clientOf(place, bootstrap);
  });
  afterAll(async () => {
    client.close();
    await stopServer(server);
    await place.remove();
  });

  test('writes its facts to bootstrap.json, for the owner alone', async () => {
    expect(Object.keys(bootstrap).sort()).toEqual(KEYS);
    const path = join(place.dataDirectory, 'bootstrap.json');
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(existsSync(`${path}.unfinished`)).toBe(false);
    expect(existsSync(`${path}.part`)).toBe(false);
    expect(bootstrap).toMatchObject({
      baseUrl: `https://localhost:${place.port}`,
      consoleUrl: `https://localhost:${place.port}/`,
      subdomain: 'acme',
      namespace: 'svc',
      caFile: join(place.dataDirectory, 'tls', 'ca.pem'),
      mailsUrl: expect.stringMatching(/^https:\/\/localhost:\d+\/dev\/mails\?key=[\w-]{43}$/),
    });
  });

  test('prints the same facts', () => {
    const { stdout } = server.output;
    const { baseUrl, login, mailsUrl, password, apiToken, caFile } = bootstrap;
    const facts = [baseUrl, `${baseUrl}/signin`, login, password, apiToken, caFile, mailsUrl];
    for (const fact of facts) expect(stdout).toContain(fact);
  });

  test('prints a curl line that works as pasted', async () => {
    const line = /^ {2}(curl .*)$/m.exec(server.output.stdout)?.[1] ?? '';
    expect(line).toBe(
      `curl --cacert ${bootstrap.caFile} -H "Authorization: SSWS ${bootstrap.apiToken}" ` +
        `"${bootstrap.baseUrl}/api/v1/users?limit=1"`,
    );
    const hasCurl = await execute('curl', ['--version']).then(
      () => true,
      () => false,
    );
    const body: unknown = hasCurl
      ? JSON.parse((await execute('sh', ['-c', line])).stdout)
      : (await client.get('/api/v1/users?limit=1')).body;
    expect(body).toMatchObject([{ profile: { login: bootstrap.login } }]);
  });

  test('makes a super administrator whose password must be changed', async () => {
    const { body } = await client.get(`/api/v1/users/${encodeURIComponent(bootstrap.login)}`);
    expect(body).toMatchObject({ status: 'PASSWORD_EXPIRED', profile: { login: bootstrap.login } });
    const roles = await client.get(`/api/v1/users/${String(body.id)}/roles`);
    expect(roles.body).toMatchObject([{ type: 'SUPER_ADMIN' }]);
  });

  test('is in the log, by the service itself', async () => {
    const types = async (): Promise<string[]> => {
      const { body } = await client.get('/api/v1/logs?limit=100');
      return (body as { eventType: string; actor: { type: string } }[])
        .filter((event) => event.actor.type === 'SystemPrincipal')
        .map((event) => event.eventType);
    };
    await expect
      .poll(types)
      .toEqual(
        expect.arrayContaining([
          'system.org.lifecycle.create',
          'user.lifecycle.create',
          'user.account.privilege.grant',
          'system.api_token.create',
        ]),
      );
  });

  test('puts none of its secrets into the log of the server', () => {
    expect(server.output.stderr).not.toContain(bootstrap.password);
    expect(server.output.stderr).not.toContain(bootstrap.apiToken);
  });

  test('opens the management port on loopback: live, ready, metrics', async () => {
    expect((await managementStatus(place, '/health/live')).status).toBe(200);
    expect(await managementStatus(place, '/health/ready')).toMatchObject({ status: 200 });
    const { text } = await managementStatus(place, '/metrics');
    expect(text).toContain('gatehouse_http_requests_total{operation="listUsers",status="2xx"}');
    expect(text).toContain('gatehouse_database_reachable 1');
  });

  test('shows a start page', async () => {
    const { status, headers } = await client.get('/', { headers: { accept: 'text/html' } });
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
  });

  test('refuses a second server on the same folder and names the first', async () => {
    const second = run(place, 'main', [], { GATEHOUSE_PORT: '1', GATEHOUSE_MANAGEMENT_PORT: '2' });
    expect(await second.ended).toBe(1);
    expect(second.output.stderr).toContain(`pid ${server.process.pid}`);
  });

  test('killed with -9 and started again, nothing is lost, nothing is asked and nothing is made anew', async () => {
    const created = await client.post('/api/v1/users?activate=false', {
      body: { profile: { firstName: 'Ada', lastName: 'L', login: 'ada@example.com', email: 'ada@example.com' } },
    });
    expect(created.status).toBe(200);
    client.close();
    server.process.kill('SIGKILL');
    await server.ended;
    server = await runServer(place);
    expect(server.output.stdout).toBe(`Gatehouse is ready: ${bootstrap.baseUrl}\n`);
    expect(await readBootstrap(place)).toEqual(bootstrap);
    client = await clientOf(place, bootstrap);
    const { body } = await client.get('/api/v1/users/ada@example.com');
    expect(body).toMatchObject({ id: created.body.id });
    const { body: users } = await client.get('/api/v1/users');
    expect(users).toHaveLength(2);
  });

  test('SIGTERM stops it cleanly, PostgreSQL included', async () => {
    expect(await stopServer(server)).toBe(0);
    expect(existsSync(join(place.dataDirectory, 'postgres', 'postmaster.pid'))).toBe(false);
    server = await runServer(place);
  });
});

describe('a start is refused', () => {
  let place: Place;

  beforeAll(async () => {
    place = await newPlace();
    expect(await stopServer(await runServer(place))).toBe(0);
  });
  afterAll(() => place.remove());

  async function refusal(settings: Record<string, string>): Promise<{ code: number | string; stderr: string }> {
    const program = run(place, 'main', [], settings);
    const code = await program.ended;
    return { code, stderr: program.output.stderr };
  }

  test('with another namespace word, and the stored one is named', async () => {
    const { code, stderr } = await refusal({ GATEHOUSE_NAMESPACE: 'acme' });
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining('GATEHOUSE_NAMESPACE=svc')]);
  });

  test('with another master key', async () => {
    const { code, stderr } = await refusal({ GATEHOUSE_MASTER_KEY: randomBytes(32).toString('base64') });
    expect(code).toBe(1);
    expect(stderr).toContain('is not the one this database was made with');
  });

  test('with a master key file that is gone, and no other one takes its place', async () => {
    const path = join(place.dataDirectory, 'master.key');
    const key = await readFile(path);
    await rm(path);
    const { code, stderr } = await refusal({});
    await writeFile(path, key, { mode: 0o600 });
    expect(code).toBe(1);
    expect(stderr).toContain('is not the one this database was made with');
  });

  test('with all that is wrong in the settings listed at once', async () => {
    const { code, stderr } = await refusal({ GATEHOUSE_PORTT: '1', GATEHOUSE_WORKERS: 'many', GATEHOUSE_HOST: 'a b' });
    expect(code).toBe(2);
    for (const name of ['GATEHOUSE_PORTT', 'GATEHOUSE_WORKERS', 'GATEHOUSE_HOST']) expect(stderr).toContain(name);
  });

  test('with a database that does not answer, and without its password', async () => {
    const { code, stderr } = await refusal({
      GATEHOUSE_DATABASE_URL: 'postgres://gatehouse:hidden-secret@127.0.0.1:1/gatehouse',
      GATEHOUSE_MASTER_KEY: randomBytes(32).toString('base64'),
    });
    expect(code).toBe(1);
    expect(stderr).toContain('127.0.0.1:1/gatehouse');
    expect(stderr).not.toContain('hidden-secret');
  });
});
