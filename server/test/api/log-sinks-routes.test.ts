import { beforeEach, describe, expect, test } from 'vitest';
import { type DeliveryResult, type SinkProvider, startSink, stopSink } from '../../src/system-log/index.ts';
import { newUser, signIn } from '../support/authn.ts';
import type { TestOrg } from '../support/service.ts';
import { DELIVERED, failed, refused, TestTarget } from '../support/sink-bench.ts';
import { movedBy } from '../support/time.ts';
import { useService } from '../support/use-service.ts';

const targets = new Map<string, TestTarget>();
const provider: SinkProvider = { open: async (_, id) => targets.get(id)?.open() ?? null };
const { service } = useService({ sinkProviders: { event_hook: provider, log_stream: provider } });
let org: TestOrg;
let hookId = '';
let target: TestTarget;
let hooks = 0;

async function newHook(): Promise<[string, TestTarget]> {
  hooks += 1;
  const hook = await org.admin.post('/api/v1/eventHooks', {
    body: {
      name: `hook ${hooks}`,
      events: { type: 'EVENT_TYPE', items: ['user.lifecycle.create'] },
      channel: { type: 'HTTP', version: '1.0.0', config: { uri: 'https://hooks.example.com/' } },
    },
  });
  expect(hook.status).toBe(200);
  const made = new TestTarget();
  targets.set(hook.body.id, made);
  await service.drained();
  await startSink(service.application.db, org.id, { id: hook.body.id, kind: 'event_hook' });
  return [hook.body.id, made];
}

beforeEach(async () => {
  org = await service.newOrg();
  [hookId, target] = await newHook();
});

const pathOf = (rest: string, id = hookId): string => `/api/v1/eventHooks/${id}${rest}`;
const state = async () => (await org.admin.get(pathOf('/delivery'))).body;
function nextOf(headers: Readonly<Record<string, string | string[] | undefined>>): string | null {
  const links = [headers['link'] ?? []].flat().join(', ');
  const [, href] = /<([^>]+)>; rel="next"/.exec(links) ?? [];
  return href === undefined ? null : new URL(href).search;
}

async function untilCaughtUp(): Promise<void> {
  await service.drained();
  await expect.poll(async () => (await state()).lag).toBe(0);
}

const users = async (count: number): Promise<void> => {
  for (let index = 0; index < count; index += 1) await org.createUser();
};

describe('GET .../delivery', () => {
  test('says how far it is, and what is wrong', async () => {
    expect(await state()).toMatchObject({ status: 'ACTIVE', lag: 0, failures: 0, failingSince: null, lastError: null });
    target.answer = () => failed(500, 'The host answered 500.');
    await users(1);
    await service.drained();
    await expect.poll(async () => (await state()).failures).toBeGreaterThan(0);
    const failing = await state();
    expect(failing).toMatchObject({ status: 'ACTIVE', lastError: 'The host answered 500.', lastStatus: 500 });
    expect(failing.lag).toBe(failing.head - failing.position);
    expect(failing.lag).toBeGreaterThan(0);
    expect(Date.parse(failing.nextAttempt)).toBeGreaterThan(Date.parse(failing.failingSince));
    target.answer = () => DELIVERED;
    service.clock.advance(6 * 60_000);
    await untilCaughtUp();
    expect(await state()).toMatchObject({ failures: 0, failingSince: null, nextAttempt: null, lastError: null });
    expect(Date.parse((await state()).lastDelivered)).toBeGreaterThan(0);
  });

  test('of a hook that was never started is NEW, of one that was stopped STOPPED', async () => {
    await stopSink(service.application.db, org.id, hookId);
    expect(await state()).toMatchObject({ status: 'STOPPED' });
    const hook = await org.admin.get(`/api/v1/eventHooks/${hookId}`);
    expect(hook.status).toBe(200);
    await service.application.pool.query('delete from log_sinks where id = $1', [hookId]);
    expect(await state()).toMatchObject({ status: 'NEW', position: null, head: null, lag: null });
  });
});

describe('GET .../deliveries', () => {
  test('lists what was sent, newest first, page by page', async () => {
    target.maximumEvents = 1;
    await users(5);
    await untilCaughtUp();
    const all = (await org.admin.get(pathOf('/deliveries?limit=200'))).body;
    expect(all.length).toBeGreaterThanOrEqual(5);
    const positions = all.map(({ firstPosition }: { firstPosition: number }) => firstPosition);
    expect(positions).toEqual(positions.toSorted((left: number, right: number) => right - left));
    expect(all[0]).toMatchObject({
      id: target.sent.at(-1)?.id,
      attempt: 1,
      outcome: 'DELIVERED',
      status: 200,
      reason: null,
      events: 1,
    });
    const paged = [];
    for (let query: string | null = '?limit=2'; query !== null; ) {
      const { body, headers } = await org.admin.get(pathOf(`/deliveries${query}`));
      expect(body.length).toBeLessThanOrEqual(2);
      paged.push(...body);
      query = nextOf(headers);
    }
    expect(paged).toEqual(all);
  });

  test('forgets after thirty days, and does not take the cursor of another hook', async () => {
    target.maximumEvents = 1;
    await users(3);
    await untilCaughtUp();
    const { headers } = await org.admin.get(pathOf('/deliveries?limit=1'));
    const next = nextOf(headers);
    expect(next).not.toBeNull();
    const [other] = await newHook();
    expect(await org.admin.get(pathOf(`/deliveries${next}`, other))).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000001' },
    });
    const age = `update log_deliveries set attempted_at = ${movedBy('attempted_at', '-30 days')} where sink_id = $1`;
    await service.database.pool.query(age, [hookId]);
    expect((await org.admin.get(pathOf('/deliveries'))).body).toEqual([]);
  });
});

describe('GET .../deadLetters', () => {
  test('lists what was refused, newest first, page by page', async () => {
    target.answer = () => refused;
    await users(2);
    await untilCaughtUp();
    const all = (await org.admin.get(pathOf('/deadLetters?limit=200'))).body;
    expect(all.length).toBeGreaterThanOrEqual(2);
    const events = new Map((await org.systemLog()).map((event) => [event.uuid, event.eventType]));
    for (const letter of all) {
      expect(letter).toMatchObject({ reason: 'The host answered 400.', status: 400 });
      expect(letter.firstPosition).toBe(letter.lastPosition);
      expect(events.get(letter.uuid)).toBe(letter.eventType);
    }
    const first = await org.admin.get(pathOf('/deadLetters?limit=1'));
    const second = await org.admin.get(pathOf(`/deadLetters${nextOf(first.headers)}`));
    expect([...first.body, ...second.body]).toEqual(all.slice(0, 2));
  });
});

describe('POST .../lifecycle/replay', () => {
  const replay = (body: unknown, id = hookId) => org.admin.post(pathOf('/lifecycle/replay', id), { body });

  test('delivers again from a position, and says so in the log', async () => {
    await users(2);
    await untilCaughtUp();
    const before = target.taken();
    const from = before[0] ?? 0;
    const { position } = await state();
    target.sent.length = 0;
    expect(await replay({ position: from })).toMatchObject({ status: 200, body: { status: 'ACTIVE' } });
    await untilCaughtUp();
    expect(target.taken().slice(0, before.length)).toEqual(before);
    const told = await org.systemLog(`eventType eq "system.log.delivery.replay" and target.id eq "${hookId}"`);
    expect(told).toMatchObject([
      {
        actor: { id: org.adminUserId },
        target: [{ id: hookId, type: 'EventHook' }],
        debugContext: { debugData: { fromPosition: String(position + 1), toPosition: String(from) } },
      },
    ]);
  });

  test('ends a back-off, and goes on past what a target cannot take', async () => {
    target.answer = ({ events }) => (events[0]?.eventType === 'user.lifecycle.create' ? failed() : DELIVERED);
    await users(1);
    await service.drained();
    await expect.poll(async () => (await state()).failures).toBeGreaterThan(0);
    await service.drained();
    const { head } = await state();
    target.answer = () => DELIVERED;
    expect(await replay({ position: head + 1 })).toMatchObject({ status: 200, body: { failures: 0 } });
    await untilCaughtUp();
    expect(target.taken().every((position) => position > head)).toBe(true);
  });

  test('delivers again what was published since an instant', async () => {
    await users(1);
    await untilCaughtUp();
    service.clock.advance(3_600_000);
    const since = service.clock.now().toISOString();
    const user = await org.createUser();
    await untilCaughtUp();
    target.sent.length = 0;
    const bodies: string[] = [];
    target.answer = ({ events }) => {
      bodies.push(...events.map(({ body }) => body));
      return DELIVERED;
    };
    expect((await replay({ since })).status).toBe(200);
    await untilCaughtUp();
    expect(bodies.some((body) => body.includes(user.id))).toBe(true);
    for (const body of bodies) expect(JSON.parse(body).published >= since).toBe(true);
    service.clock.advance(-3_600_000);
  });

  test.each([
    [{}, 'position'],
    [{ position: 1, since: '2026-01-01T00:00:00Z' }, 'since'],
    [{ position: 0 }, 'position'],
    [{ position: -3 }, 'position'],
    [{ position: 1e15 }, 'position'],
    [{ since: 'yesterday' }, 'since'],
    [{ since: '9999-01-01T00:00:00Z' }, 'since'],
  ])('refuses %j and names %s', async (body, field) => {
    const before = await state();
    const answer = await replay(body);
    expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(answer.body.errorSummary).toContain(field);
    expect((await state()).position).toBe(before.position);
    expect(await org.systemLog(`eventType eq "system.log.delivery.replay" and target.id eq "${hookId}"`)).toEqual([]);
  });

  test.each([[{ position: '7' }], [{ position: 1.5 }], [{ since: 7 }], [[]]])(
    'refuses %j, which has not the form of one',
    async (body) => expect((await replay(body)).status).toBe(400),
  );

  test('refuses a hook that is not delivered to', async () => {
    await stopSink(service.application.db, org.id, hookId);
    const answer = await replay({ position: 1 });
    expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(answer.body.errorSummary).toContain('status');
  });
});

describe('whoever may not', () => {
  const calls = [
    ['GET', '/delivery'],
    ['GET', '/deliveries'],
    ['GET', '/deadLetters'],
    ['POST', '/lifecycle/replay'],
  ] as const;

  test.each(calls)(
    '%s %s: not for another org, an unknown id, a stranger, or a role without it',
    async (method, rest) => {
      const options = method === 'POST' ? { body: { position: 1 } } : {};
      const other = await service.newOrg();
      expect((await other.admin.send(method, pathOf(rest), options)).status).toBe(404);
      const unknown = await org.admin.send(method, pathOf(rest, 'who00000000000000000'), options);
      expect(unknown).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
      expect((await org.anonymous.send(method, pathOf(rest), options)).status).toBe(401);
      const nobody = await org.withRoles();
      expect((await nobody.send(method, pathOf(rest), options)).status).toBe(403);
      const reader = await org.withRoles('READ_ONLY_ADMIN');
      expect((await reader.send(method, pathOf(rest), options)).status).toBe(method === 'GET' ? 200 : 403);
    },
  );
});

test('targets that hang hold no connection, and sign-ins do not notice them (F14)', async () => {
  const user = await newUser(org);
  const hanging: (() => void)[] = [];
  for (let index = 0; index < 12; index += 1) {
    const [, deaf] = await newHook();
    deaf.answer = () =>
      new Promise<DeliveryResult>((resolve) => {
        hanging.push(() => resolve(DELIVERED));
      });
  }
  await users(1);
  await service.drained();
  // An org whose jobs take long does not get all places of the runner.
  await expect.poll(() => hanging.length).toBeGreaterThanOrEqual(6);
  for (let attempt = 0; attempt < 20; attempt += 1) {
    expect((await signIn(org.anonymous, user.profile.login)).status).toBe(200);
  }
  await service.drained();
  expect(service.application.pool.waitingCount).toBe(0);
  const { rows } = await service.database.pool.query(
    `select state from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'
       and state_change < now() - interval '1 second'`,
  );
  expect(rows).toEqual([]);
  expect(hanging.length).toBeLessThanOrEqual(8);
  for (const release of hanging) release();
});
