import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { createTestClient, type TestClient } from '../support/client.ts';
import { newPlace, type Place, type Program, runServer } from '../support/server-process.ts';
import type { TestService } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const CLIENT = {
  ipAddress: null,
  ipChain: [],
  userAgent: { rawUserAgent: 'curl/8', os: 'Unknown', browser: 'CURL' },
  device: 'Unknown',
  deviceFingerprint: null,
  acceptLanguage: null,
};

// F21 (docs/faults.md): strangers can invent any number of names, but the memory for these names is limited.

const MEGABYTE = 1_048_576;
const AT_ONCE = 200;

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

function usedMegabytes(): number {
  if (typeof collect !== 'function') throw new Error('the heap cannot be cleaned up');
  collect();
  return process.memoryUsage().heapUsed / MEGABYTE;
}

describe('what strangers name', () => {
  const { service } = useService({ isShared: false });

  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const { b, c } = { b: 'b'.repeat(60), c: 'c'.repeat(60) };

  type Name = (count: number) => unknown;
  /** Each entry has the number of names to make. Its function returns a `Name`, which uses one name per call. */
  const NAMES: Readonly<Record<string, readonly [number, (service: TestService) => Name]>> = {
    'hosts that nobody has': [
      12_000,
      ({ application }) =>
        (count) =>
          application.orgDirectory.resolve(`${b}.${c}.${count}.example`),
    ],
    'sessions that are none, as API tokens are': [
      12_000,
      ({ application, clock, org }) =>
        (count) =>
          application.sessions.authenticate(org.id, `102${String(count).padStart(22, 'x')}`, clock.now()),
    ],
    'access tokens of unknown keys': [
      30_000,
      ({ application, clock, org }) =>
        (count) => {
          const token = `${encode({ alg: 'RS256', kid: `${b}${count}` })}.${encode({ iss: org.baseUrl })}.AAAA`;
          return application.oauth.verifier.verify(org.id, token, clock.now());
        },
    ],
    'what is counted for a limit': [
      60_000,
      ({ application, org }) =>
        (count) =>
          application.limiter.take(org.id, 'management', `${b}${count}`, 10),
    ],
    'addresses that are refused': [
      20_000,
      ({ application, org }) =>
        (count) =>
          application.edgeEvents.refused({
            org: { orgId: org.id },
            kind: 'credential',
            client: { ...CLIENT, ipAddress: `2001:db8::${count.toString(16)}` },
            requestUri: `/${b}`,
          }),
    ],
  };

  test.each(Object.entries(NAMES))(
    '%s: twice as many take no more room',
    async (_, [enough, start]) => {
      const name = start(service);
      const nameAll = async (from: number): Promise<void> => {
        for (let count = from; count < from + enough; count += AT_ONCE) {
          await Promise.all(Array.from({ length: AT_ONCE }, (__, index) => name(count + index)));
        }
      };
      await nameAll(0);
      // Other activity may use memory in one round, but a leak would use memory in every round.
      const grown: number[] = [];
      for (let round = 1; round <= 3 && grown.every((megabytes) => megabytes >= 3); round += 1) {
        const full = usedMegabytes();
        await nameAll(enough * round);
        grown.push(usedMegabytes() - full);
      }
      expect(Math.min(...grown)).toBeLessThan(3);
    },
    120_000,
  );

  test('every cache says how many entries it holds at most', () => {
    const root = fileURLToPath(new URL('../../src/', import.meta.url));
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const sources = files.map((name) => ({ name, source: readFileSync(join(root, name), 'utf8') }));
    const own = sources.filter(({ source }) => source.includes("from 'lru-cache'")).map(({ name }) => name);
    // The expression language may not import platform/caches, so it uses the library itself.
    expect(own.toSorted()).toEqual(['expression/functions/zones.ts', 'platform/caches/index.ts']);
    const caches = sources.flatMap(({ name, source }) =>
      [...source.matchAll(/(?:bounded|sized)Cache(<.*>)?\(([^(),]*)[,)]/g)].map(([, , bound = '']) => [name, bound]),
    );
    expect(caches.length).toBeGreaterThan(20);
    expect(caches.filter(([, bound = '']) => !/maximum|most|\d/i.test(bound))).toEqual([]);
  });
});

describe('a process with little memory', () => {
  let place: Place;
  let server: Program;
  let client: TestClient & { close(): void };

  beforeAll(async () => {
    // The heap has little more room than the loaded modules need.
    place = await newPlace({ NODE_OPTIONS: '--max-old-space-size=128' });
    server = await runServer(place);
  });
  afterAll(async () => {
    client.close();
    // The server's PostgreSQL ends before the server, so nothing uses the folder once the server has ended.
    server.process.kill('SIGTERM');
    await server.ended;
    await place.remove();
  });

  it('outlives a flood of strangers, and comes back clean when it is killed', async () => {
    const bootstrap = JSON.parse(readFileSync(join(place.dataDirectory, 'bootstrap.json'), 'utf8')) as {
      apiToken: string;
      caFile: string;
    };
    const ca = readFileSync(bootstrap.caFile, 'utf8');
    client = createTestClient({ port: place.port, hostname: 'localhost', ca });
    const ask = (count: number) => {
      const credentials = [
        { authorization: `SSWS 00${String(count).padStart(40, 'x')}` },
        { authorization: `Bearer ${'e'.repeat(4_000)}.${count}.x` },
        { cookie: `sid=102${String(count).padStart(22, 'x')}` },
        { host: `h${count}.example` },
      ];
      const headers: Readonly<Record<string, string>> = credentials[count % credentials.length] ?? {};
      return client.post('/api/v1/users', { body: { profile: { nickName: 'x'.repeat(20_000) } }, headers });
    };
    const statuses = new Set<number>();
    for (let count = 0; count < 3_000; count += 50) {
      const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => ask(count + index)));
      for (const { status } of answers) statuses.add(status);
    }
    // Unknown hosts, tokens and sessions cause no server error. Eventually, some requests are rate-limited.
    statuses.delete(429);
    expect([...statuses].toSorted()).toEqual([401, 403, 404]);
    expect(server.process.exitCode).toBeNull();
    const own = { headers: { authorization: `SSWS ${bootstrap.apiToken}` } };
    const before = await client.get('/api/v1/users/me', own);
    expect(before.status).toBe(200);
    // A system without free memory would kill the process in the same way.
    server.process.kill('SIGKILL');
    expect(await server.ended).toBe('SIGKILL');
    server = await runServer(place);
    expect((await client.get('/api/v1/users/me', own)).body).toEqual(before.body);
  }, 120_000);
});
