import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { createTestClient, type TestClient } from '../support/client.ts';
import {
  newPlace,
  type Place,
  type Program,
  run,
  runServer,
  stopServer,
  whenReady,
} from '../support/server-process.ts';

// By default, the number of workers depends on the machine, so the tests set it.

const TWO = { GATEHOUSE_WORKERS: '2' };

const workerPids = ({ output }: Program): number[] =>
  [...output.stderr.matchAll(/"workerPid":(\d+)/g)].map((match) => Number(match[1]));

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text.split(' ').filter(Boolean).map(Number);
}

async function clientOf({ dataDirectory, port }: Place): Promise<TestClient & { close(): void }> {
  const text = await readFile(join(dataDirectory, 'bootstrap.json'), 'utf8');
  const { apiToken, caFile } = JSON.parse(text) as { apiToken: string; caFile: string };
  const ca = await readFile(caFile, 'utf8');
  return createTestClient({ port, hostname: 'localhost', ca, headers: { authorization: `SSWS ${apiToken}` } });
}

async function listUsers(place: Place, times: number): Promise<number[]> {
  const client = await clientOf(place);
  const answers = await Promise.all(Array.from({ length: times }, () => client.get('/api/v1/users?limit=1')));
  client.close();
  return answers.map(({ status }) => status);
}

const management = async ({ managementPort }: Place, path: string): Promise<string> =>
  (await fetch(`http://127.0.0.1:${managementPort}${path}`)).text();

const LISTED = /^gatehouse_http_requests_total\{operation="listUsers",status="2xx"\} (\d+)$/m;

describe('a server with two workers', () => {
  // The ids of the first workers' processes are logged at this level.
  const place = beforeTests(() => newPlace({ ...TWO, GATEHOUSE_LOG_LEVEL: 'debug' }));
  let server: Program;

  const bothListen = () => expect.poll(() => workerPids(server).filter(isAlive).length).toBe(2);
  const listed = async (): Promise<number> => Number(LISTED.exec(await management(place, '/metrics'))?.[1]);

  beforeAll(async () => {
    server = await runServer(place);
  });
  afterAll(async () => {
    await stopServer(server);
    await place.remove();
  });

  test('prints its first start once, and is ready when one of them listens', async () => {
    expect(server.output.stdout.split('One-time password')).toHaveLength(2);
    expect(await management(place, '/health/ready')).toContain('"workers":"ok"');
    await bothListen();
  });

  test('answers requests, and adds up the meters of both in the primary', async () => {
    await bothListen();
    expect(await listUsers(place, 20)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(await listed()).toBe(20);
    expect(await management(place, '/metrics')).toContain('gatehouse_database_reachable 1');
  });

  test('resumes a TLS session in any worker', async () => {
    await bothListen();
    const ca = await readFile(join(place.dataDirectory, 'tls', 'ca.pem'), 'utf8');
    const resume = (given: Buffer | null) =>
      new Promise<{ session: Buffer | null; isResumed: boolean }>((resolve, reject) => {
        let session: Buffer | null = given;
        const start = given === null ? {} : { session: given };
        const socket = connect({ port: place.port, host: '127.0.0.1', servername: 'localhost', ca, ...start });
        socket.on('session', (next) => {
          session = next;
        });
        socket.once('error', reject);
        let isResumed = false;
        socket.once('secureConnect', () => {
          isResumed = socket.isSessionReused();
        });
        socket.once('close', () => resolve({ session, isResumed }));
        // TLS session tickets arrive after the handshake, so the client also sends a request and reads the response.
        socket.resume().end('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
      });
    let last = await resume(null);
    // The primary hands connections to its workers in turn.
    for (let time = 1; time <= 4; time += 1) {
      last = await resume(last.session);
      expect(last.isResumed).toBe(true);
    }
  });

  test('replaces a worker that is killed; the other one answers meanwhile, and no count is lost', async () => {
    const [first = 0] = workerPids(server);
    process.kill(first, 'SIGKILL');
    await expect.poll(() => isAlive(first)).toBe(false);
    expect(await listed()).toBe(20);
    await expect.poll(() => workerPids(server).length).toBe(3);
    expect(await listUsers(place, 1)).toEqual([200]);
    expect(await listed()).toBe(21);
  });

  test('hears nothing of a worker that is stopped, but reports what it measured last', async () => {
    const [, second = 0] = workerPids(server);
    process.kill(second, 'SIGSTOP');
    try {
      expect(await listed()).toBe(21);
    } finally {
      process.kill(second, 'SIGCONT');
    }
  });

  test('stops all of them cleanly on SIGTERM', async () => {
    const pids = workerPids(server);
    expect(pids.filter(isAlive)).toHaveLength(2);
    expect(await stopServer(server)).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
  });
});

describe('a start with two workers', () => {
  const place = beforeTests(() => newPlace(TWO));
  afterAll(() => place.remove());

  test('that is told to stop at once leaves no process', async () => {
    const server = run(place, 'main');
    let children: number[] = [];
    // The first worker is forked before the database is open.
    await expect.poll(async () => (children = await childrenOf(server.process.pid ?? 0)).length).toBeGreaterThan(0);
    expect(await stopServer(server)).toBe(0);
    expect(children.filter(isAlive)).toEqual([]);
    expect(server.output.stdout).toBe('');
  });

  test('whose first worker dies while the database does not answer ends at once', async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const server = run(place, 'main', [], {
      GATEHOUSE_DATABASE_URL: `postgres://gatehouse@127.0.0.1:${port}/gatehouse`,
      GATEHOUSE_MASTER_KEY: randomBytes(32).toString('base64'),
    });
    let children: number[] = [];
    await expect.poll(async () => (children = await childrenOf(server.process.pid ?? 0)).length).toBe(1);
    process.kill(children[0] ?? 0, 'SIGKILL');
    expect(await server.ended).toBe(1);
    // If the primary waited for the database, it would report that the database does not answer.
    expect(server.output.stderr).toBe('Gatehouse: A worker was ended by SIGKILL while it was starting.\n');
    silent.close();
  });

  test('whose first worker dies while the embedded PostgreSQL is made ends without a migration', async () => {
    const fresh = await newPlace(TWO);
    const server = run(fresh, 'main');
    let children: number[] = [];
    await expect.poll(async () => (children = await childrenOf(server.process.pid ?? 0)).length).toBeGreaterThan(0);
    process.kill(children[0] ?? 0, 'SIGKILL');
    expect(await server.ended).toBe(1);
    expect(server.output.stderr).toContain('A worker was ended by SIGKILL while it was starting.');
    // The interrupted start must leave a database that the next start can use.
    expect(await stopServer(await whenReady(run(fresh, 'main')))).toBe(0);
    await fresh.remove();
  });

  test('that a worker refuses ends with the reason and the exit code of the worker', async () => {
    await stopServer(await whenReady(run(place, 'main')));
    const masterKey = randomBytes(32).toString('base64');
    const server = run(place, 'main', [], { GATEHOUSE_MASTER_KEY: masterKey });
    expect(await server.ended).toBe(1);
    expect(server.output.stderr.trim().split('\n')).toEqual([
      expect.stringContaining('is not the one this database was made with'),
    ]);
  });
});
