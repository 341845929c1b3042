import type { ChildProcess } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findRunningCluster } from '../server/src/cli/running/running-cluster.ts';
import { type ConnectionSettings, createPool, type Pool } from '../server/src/platform/postgres/index.ts';
import { type Endpoint, openConnection, requestBytes } from './connection.ts';
import { spawnFree, spawnSubject } from './cores.ts';
import { assertGood } from './load.ts';

export const ROOT = fileURLToPath(new URL('../', import.meta.url));
const mainOf = (build: string): string => join(build, 'server', 'dist', 'main.js');

export interface Place {
  readonly directory: string;
  readonly dataDirectory: string;
  readonly port: number;
  readonly managementPort: number;
  remove(): Promise<void>;
}

export interface RunOptions {
  readonly place: Place;
  /** Whether the generator uses plain HTTP, as a trusted proxy would. */
  readonly plain?: boolean;
  readonly profileDirectory?: string | undefined;
  /** Whether to start the server as a user does: `npm start`, on all cores. */
  readonly asUser?: boolean;
  /** A folder with `server/dist`. */
  readonly build: string;
  /** The program of the Node release that runs the server. */
  readonly node: string;
}

export interface Gatehouse {
  readonly endpoint: Endpoint;
  readonly managementPort: number;
  /** The API token of a super administrator of the first org. */
  readonly token: string;
  readonly orgId: string;
  readonly connection: ConnectionSettings;
  readonly pool: Pool;
  readonly startedAt: number;
  /** The id of the started process, which is the server or, with `asUser`, npm. */
  readonly pid: number;
  stop(): Promise<void>;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

export async function newPlace(): Promise<Place> {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'));
  // If this process runs as root, PostgreSQL runs as another user, which must be able to enter the folder.
  await chmod(directory, 0o755);
  return {
    directory,
    dataDirectory: join(directory, 'data'),
    port: await freePort(),
    managementPort: await freePort(),
    // A stopping PostgreSQL may still be writing its last files.
    remove: () => rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }),
  };
}

/** Raises the rate limit so that it does not restrict the load. */
const environmentOf = ({ node, place, plain }: RunOptions): NodeJS.ProcessEnv => ({
  ...process.env,
  // npm runs the first `node` in `PATH`.
  PATH: [dirname(node), process.env['PATH']].join(delimiter),
  GATEHOUSE_DATA_DIR: place.dataDirectory,
  GATEHOUSE_PORT: String(place.port),
  GATEHOUSE_MANAGEMENT_PORT: String(place.managementPort),
  GATEHOUSE_RATE_LIMIT_PER_MINUTE: '100000000',
  ...(plain === true ? { GATEHOUSE_TRUSTED_PROXIES: '127.0.0.0/8' } : {}),
});

function launch(options: RunOptions): ChildProcess {
  const { build, node } = options;
  const given = {
    cwd: build,
    env: environmentOf(options),
    stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'],
  };
  if (options.asUser === true) return spawnFree('npm', ['start', '--silent'], { ...given, detached: true });
  const profile =
    options.profileDirectory === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profileDirectory}`];
  return spawnSubject(node, [...profile, mainOf(build)], given);
}

function keepOutput(child: ChildProcess): void {
  const directory = join(ROOT, 'bench', 'out');
  mkdirSync(directory, { recursive: true });
  const file = createWriteStream(join(directory, 'server.log'));
  child.stdout?.pipe(file, { end: false });
  child.stderr?.pipe(file, { end: false });
  child.once('close', () => file.end());
}

/** Resolves when the child's output contains `text`. Rejects with the end of the output if the child exits first. */
function said(child: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    const read = (chunk: Buffer): void => {
      output = (output + chunk.toString('utf8')).slice(-20_000);
      if (output.includes(text)) resolve();
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`the server ended (${code ?? signal}):\n${output}`)));
  });
}

function stopChild(child: ChildProcess, asGroup: boolean): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) {
      resolve();
      return;
    }
    child.once('exit', () => resolve());
    // npm does not always forward a signal, so the whole process group gets it.
    if (asGroup && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    else child.kill('SIGTERM');
  });
}

export async function startGatehouse(options: RunOptions): Promise<Gatehouse> {
  const { place } = options;
  const startedAt = performance.now();
  const child = launch(options);
  keepOutput(child);
  await said(child, 'Gatehouse is ready');
  const bootstrap = JSON.parse(await readFile(join(place.dataDirectory, 'bootstrap.json'), 'utf8')) as {
    apiToken: string;
    orgId: string;
    caFile: string;
  };
  const connection = await findRunningCluster(place.dataDirectory);
  if (connection === null) throw new Error('the embedded PostgreSQL of the server was not found');
  const pool = createPool({
    connection,
    maximumConnections: 2,
    applicationName: 'gatehouse-bench',
    statementTimeoutMilliseconds: 3_600_000,
  });
  return {
    endpoint: {
      port: place.port,
      hostname: 'localhost',
      ca: options.plain === true ? null : await readFile(bootstrap.caFile, 'utf8'),
    },
    managementPort: place.managementPort,
    token: bootstrap.apiToken,
    orgId: bootstrap.orgId,
    connection,
    pool,
    startedAt,
    pid: child.pid ?? 0,
    stop: async () => {
      await pool.end();
      await stopChild(child, options.asUser === true);
    },
  };
}

export const authorizationOf = (token: string): Record<string, string> => ({ Authorization: `SSWS ${token}` });

let logins = 0;
/** Returns the body of a request that creates a user without credentials. Each call uses a new login. */
export function newUserBody(): { profile: Record<string, string> } {
  logins += 1;
  const login = `bench.${process.pid}.${logins}@example.com`;
  return {
    profile: { firstName: 'Ada', lastName: `Lovelace ${logins}`, login, email: login, department: 'Engines' },
  };
}

export interface SeededUser {
  readonly id: string;
  readonly tag: string;
}

export const tagIn = (head: string): string => /\r\netag: *(\S+)/i.exec(head)?.[1] ?? '';

/** Creates `count` users or up to three more through the API. Returns their ids and entity tags. */
export async function seedUsers(gatehouse: Gatehouse, count: number): Promise<SeededUser[]> {
  const { endpoint, token } = gatehouse;
  const users: SeededUser[] = [];
  const work = async (index: number): Promise<void> => {
    const connection = await openConnection(endpoint, index);
    while (users.length < count) {
      const path = '/api/v1/users?activate=false';
      const answer = await connection.send(requestBytes(endpoint, 'POST', path, authorizationOf(token), newUserBody()));
      assertGood(answer);
      const { id } = JSON.parse(answer.body.toString('utf8')) as { id: string };
      users.push({ id, tag: tagIn(answer.head) });
    }
    connection.close();
  };
  await Promise.all([0, 1, 2, 3].map(work));
  // Autovacuum would analyze the tables later; the benchmark does not wait for it.
  await gatehouse.pool.query('analyze');
  return users;
}
