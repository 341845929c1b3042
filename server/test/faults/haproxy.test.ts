import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openAppWork } from '../../../tools/nodes/app-work.ts';
import { type CrossReport, crossCalls } from '../../../tools/nodes/cross-calls.ts';
import { HAPROXY } from '../../../tools/nodes/haproxy.ts';
import { AUTHN, REFUSED, signIn, WRONG } from '../support/authn.ts';
import type { TestClient, TestResponse } from '../support/client.ts';
import { hasPackages } from '../support/debian-packages.ts';
import { type HaproxyNode, type HaproxyNodes, openHaproxyNodes } from '../support/haproxy-nodes.ts';
import { NO_SESSION } from '../support/session-tokens.ts';
import { ATTEMPTS_TO_LOCKOUT, PASSWORD, userPath } from '../support/users.ts';

// Nodes share a database and nothing else. HAProxy has the configuration of docs/operate/nodes.md.

const ME = '/api/v1/sessions/me';
const PROMISED_MILLISECONDS = 1_000;

let users = 0;
async function createUser(admin: TestClient): Promise<{ readonly id: string; readonly username: string }> {
  users += 1;
  const login = `haproxy${users}@h.co`;
  const profile = { login, email: login, firstName: 'H', lastName: 'H' };
  const made = await admin.post('/api/v1/users', { body: { profile, credentials: { password: { value: PASSWORD } } } });
  expect(made.status, made.text).toBe(200);
  return { id: made.body.id, username: login };
}

/** Returns a client that sends each request to another node than the one before. */
function inTurns(clients: readonly TestClient[]): TestClient {
  let turn = 0;
  const send: TestClient['send'] = (method, path, options) => {
    const client = clients[turn % clients.length];
    turn += 1;
    if (client === undefined) throw new Error('there are no clients');
    return client.send(method, path, options);
  };
  return {
    send,
    get: (path, options) => send('GET', path, options),
    post: (path, options) => send('POST', path, options),
    put: (path, options) => send('PUT', path, options),
    del: (path, options) => send('DELETE', path, options),
  };
}

interface Call {
  readonly begunAt: number;
  readonly failure: string | null;
}

/** Makes reads and changes without pause until the returned function is called, which returns all calls. */
function startCalls(client: TestClient, userId: string): { readonly calls: Call[]; stop(): Promise<void> } {
  const calls: Call[] = [];
  const stopping = new AbortController();
  const made = async (send: () => Promise<TestResponse>): Promise<void> => {
    const begunAt = performance.now();
    const failure = await send().then(
      ({ status, text }) => (status === 200 ? null : `${status} ${text}`),
      (error: unknown) => String(error),
    );
    calls.push({ begunAt, failure });
  };
  const work = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await made(() => client.get(userPath(userId)));
      await made(() => client.post(userPath(userId), { body: { profile: { nickName: `n${calls.length}` } } }));
    }
  };
  const running = Promise.all(Array.from({ length: 6 }, work));
  return {
    calls,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

const hasHaproxy = hasPackages('HAProxy', { [HAPROXY]: 'haproxy' });

// A busy machine may need minutes for the hundreds of calls of a test.
describe.skipIf(!hasHaproxy)('two nodes behind HAProxy', { timeout: 300_000 }, () => {
  let nodes: HaproxyNodes;
  let one: TestClient & { close(): void };
  let two: TestClient & { close(): void };
  let people: readonly (TestClient & { close(): void })[] = [];
  let front: TestClient & { close(): void };

  beforeAll(async () => {
    nodes = await openHaproxyNodes();
    [one, two] = [await nodes.at(nodes.one), await nodes.at(nodes.two)];
    people = [await nodes.at(nodes.one, {}), await nodes.at(nodes.two, {})];
    front = await nodes.client();
  });
  afterAll(async () => {
    for (const client of [one, two, front, ...people]) client?.close();
    await nodes?.close();
  });

  const withSession = async (node: HaproxyNode, id: string): Promise<TestClient & { close(): void }> =>
    nodes.at(node, { cookie: `__Host-sid=${id}` });

  test('race for the first start, and one of them makes the org', async () => {
    expect(nodes.bootstrapped).toHaveLength(1);
    const { rows } = await nodes.installation.pool.query<{ id: string }>('select id from orgs');
    expect(rows).toEqual([{ id: nodes.bootstrap.orgId }]);
  });

  test('change, read and delete what the other one makes', async () => {
    const report: CrossReport = { calls: 0, faults: [] };
    const sides = [
      { name: 'one', client: one },
      { name: 'two', client: two },
    ] as const;
    await crossCalls(sides[0], sides[1], report);
    await crossCalls(sides[1], sides[0], report);
    expect(report.faults).toEqual([]);
    expect(report.calls).toBeGreaterThan(100);
  });

  test('sign a user in by turns: token, session, code, and each refresh at the other node', async () => {
    const { id: userId, username } = await createUser(one);
    const kinds: string[] = [];
    const failures: string[] = [];
    const credentials = { userId, username, password: PASSWORD };
    const work = await openAppWork(one, inTurns(people), credentials, async (kind, status, call) => {
      const response = await call();
      kinds.push(kind);
      if (response.status !== status) failures.push(`${kind}: ${response.status} ${response.text}`);
      return response.status === status ? response : null;
    });
    // The number of calls is even, so one more makes the nodes change places.
    await work();
    await people[0]?.get(AUTHN);
    await work();
    expect(failures).toEqual([]);
    const flow = ['authorization', 'code', 'token refresh', 'token refresh'];
    expect(kinds).toEqual([...flow, ...flow]);
  });

  test('honour a revocation by the other node after a second', async () => {
    const { id, username } = await createUser(one);
    const { sessionToken } = (await signIn(inTurns(people), username)).body;
    const session = (await people[0]?.post('/api/v1/sessions', { body: { sessionToken } }))?.body;
    const there = await withSession(nodes.two, session.id);
    expect((await there.get(ME)).status).toBe(200);
    expect((await there.get('/api/v1/users/me')).status).toBe(200);
    expect((await one.post(`${userPath(id)}/lifecycle/suspend`)).status).toBe(200);
    const revokedAt = performance.now();
    const late: number[] = [];
    await expect
      .poll(async () => {
        const begunAt = performance.now();
        const { status } = await there.get('/api/v1/users/me');
        if (status === 200 && begunAt - revokedAt > PROMISED_MILLISECONDS) late.push(begunAt - revokedAt);
        return status;
      })
      .toBe(403);
    expect(late).toEqual([]);
    expect(await there.get(ME)).toMatchObject(NO_SESSION);
    there.close();
  });

  test('count wrong passwords together', async () => {
    const { id, username } = await createUser(one);
    const both = inTurns(people);
    for (let attempt = 1; attempt < ATTEMPTS_TO_LOCKOUT; attempt += 1)
      expect(await signIn(both, username, WRONG)).toMatchObject(REFUSED);
    expect((await two.get(userPath(id))).body.status).toBe('ACTIVE');
    expect(await signIn(both, username, WRONG)).toMatchObject(REFUSED);
    for (const admin of [one, two]) expect((await admin.get(userPath(id))).body.status).toBe('LOCKED_OUT');
    for (const client of people) expect(await signIn(client, username)).toMatchObject(REFUSED);
  });

  test('count requests together', async () => {
    const limit = 40;
    const { output, status } = await nodes.one.service.cli('org', 'set', 'rateLimits', `{"clients":${limit}}`);
    expect(status, output).toBe(0);
    const numberIn = ({ headers }: TestResponse, name: string): number => Number(headers[`x-rate-limit-${name}`]);
    const ask = (client: TestClient): Promise<TestResponse> => client.get('/oauth2/v1/clients?limit=1');
    const untilRefused = async (client: TestClient, pauseMilliseconds: number): Promise<readonly TestResponse[]> => {
      const answers: TestResponse[] = [];
      for (;;) {
        const answer = await ask(client);
        answers.push(answer);
        if (answer.status === 429) return answers;
        await delay(pauseMilliseconds);
      }
    };
    /** Counts what the second node allows after the first one refuses. Returns null if this takes two minutes. */
    const countSecond = async (): Promise<number | null> => {
      const begin = await ask(one);
      if (numberIn(begin, 'limit') !== limit || numberIn(begin, 'remaining') !== limit - 1) return null;
      const [first, second] = [await untilRefused(one, 0), await untilRefused(two, 100)];
      const window = numberIn(begin, 'reset');
      return [...first, ...second].every((answer) => numberIn(answer, 'reset') === window) ? second.length - 1 : null;
    };
    let count: number | null = null;
    await expect.poll(async () => (count = await countSecond()), { timeout: 200_000 }).not.toBeNull();
    // Alone, the second node would allow as many as the first one did.
    expect(count).toBeLessThan(limit / 2);
    expect((await nodes.one.service.cli('org', 'set', 'rateLimits', 'null')).status).toBe(0);
  });

  test('lose no call when one of them drains', async () => {
    const { id } = await createUser(two);
    const load = startCalls(front, id);
    await expect.poll(() => load.calls.length).toBeGreaterThan(100);
    expect(await nodes.one.service.end('SIGTERM')).toBe(0);
    const served = load.calls.length;
    await expect.poll(() => load.calls.length).toBeGreaterThan(served + 100);
    await nodes.one.service.start();
    await load.stop();
    expect(load.calls.map(({ failure }) => failure).filter((failure) => failure !== null)).toEqual([]);
  });

  test('lose no call that begins after one of them was killed', async () => {
    const { id } = await createUser(one);
    const load = startCalls(front, id);
    await expect.poll(() => load.calls.length).toBeGreaterThan(100);
    await nodes.two.service.end('SIGKILL');
    const killedAt = performance.now();
    const served = load.calls.length;
    await expect.poll(() => load.calls.length).toBeGreaterThan(served + 100);
    await nodes.two.service.start();
    await load.stop();
    const failed = load.calls.filter(({ failure }) => failure !== null);
    expect(failed.filter(({ begunAt }) => begunAt > killedAt)).toEqual([]);
    // Each of the six clients had at most one call under way.
    expect(failed.length).toBeLessThanOrEqual(6);
  });
});
