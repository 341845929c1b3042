import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ManagementServer, startManagementServer } from '../../src/platform/operations/index.ts';
import { whileBusy } from '../support/cpu-time.ts';
import { newProfile } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

// F22 (docs/faults.md): many passwords arrive at once.

const FLOOD = 100;

const { service } = useService({ argon2: { memoryCost: 65_536, timeCost: 3, parallelism: 1 } });
let management: ManagementServer;

beforeAll(async () => {
  management = await startManagementServer({
    host: '127.0.0.1',
    port: 0,
    checks: {},
    metrics: [],
    onError: () => undefined,
  });
});
afterAll(() => management.close());

it('sheds with 503 what would wait longer than two seconds; health and reads answer meanwhile', async () => {
  const { admin } = service.org;
  const credentials = { password: { value: 'Correct-1-Horse' } };
  const create = () => admin.post('/api/v1/users', { body: { profile: newProfile(), credentials } });
  // During the first creation, the server measures the cost of a hash on this machine.
  expect((await create()).status).toBe(200);
  // The connections are opened first, so that the test does not measure TLS handshakes.
  await Promise.all(Array.from({ length: FLOOD }, () => admin.get('/api/v1/users/me')));
  const start = performance.now();
  const flood = Promise.all(Array.from({ length: FLOOD }, create));
  const looks: number[] = [];
  const over = new AbortController();
  void flood.finally(() => over.abort());
  while (!over.signal.aborted) {
    const before = performance.now();
    expect((await fetch(`http://127.0.0.1:${management.port}/health/live`)).status).toBe(200);
    expect((await admin.get('/api/v1/users/me')).status).toBe(200);
    looks.push(performance.now() - before);
  }
  const answers = await flood;
  const shed = answers.filter((answer) => answer.status === 503);
  expect(answers.filter((answer) => answer.status !== 200 && answer.status !== 503)).toEqual([]);
  expect(shed.length).toBeGreaterThan(20);
  expect(answers.length - shed.length).toBeGreaterThan(0);
  for (const answer of shed) expect(answer.headers['retry-after']).toBe('1');
  expect(performance.now() - start).toBeLessThan(whileBusy(15_000));
  // If hashing ran on the event loop, every check would wait until the last hash was done.
  expect(looks.length).toBeGreaterThan(3);
  expect(Math.max(...looks)).toBeLessThan(whileBusy(3_000));
  expect(looks.toSorted((one, other) => one - other)[Math.floor(looks.length / 2)]).toBeLessThan(whileBusy(500));
  expect((await create()).status).toBe(200);
});
