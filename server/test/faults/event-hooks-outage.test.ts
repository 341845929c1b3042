import { beforeEach, describe, expect, test } from 'vitest';
import { newUser, signIn } from '../support/authn.ts';
import { beforeTests } from '../support/before-tests.ts';
import { whileBusy } from '../support/cpu-time.ts';
import {
  createVerifiedHook,
  HOOKS,
  newHook,
  type ReceivedRequest,
  startHookReceiver,
  takesAll,
  until,
} from '../support/hook-receiver.ts';
import { type TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

// This file tests event hooks whose targets are down, slow, wrong or hostile (attack 102 in docs/security-rows.md).

const receiver = beforeTests(startHookReceiver);
const { service } = useService(() => ({ outbound: receiver.outbound() }));
let org: TestOrg;
let hookId = '';

beforeEach(async () => {
  receiver.reset();
  org = await service.newOrg();
  // A hook starts after the last event of the ledger, so the relay must first move the events of the org's creation.
  await service.drained();
  hookId = (await createVerifiedHook(org, newHook(receiver.uri()))).id;
});

const MINUTE = 60_000;
const posts = (): ReceivedRequest[] => receiver.posts(org);
const targets = (): string[] => receiver.events(org).map((event) => event.target[0].id);
const idsIn = ({ text }: ReceivedRequest): string[] =>
  JSON.parse(text).data.events.map((event: { target: { id: string }[] }) => event.target[0]?.id);
const deliveries = async () => (await org.admin.get(`${HOOKS}/${hookId}/deliveries?limit=200`)).body;
const state = async () => (await org.admin.get(`${HOOKS}/${hookId}/delivery`)).body;
const failed = async (): Promise<number> =>
  (await deliveries()).filter(({ outcome }: { outcome: string }) => outcome === 'FAILED').length;
const createUser = async (): Promise<string> => (await org.createUser()).id;

async function signsIn(): Promise<void> {
  const { profile } = await newUser(org);
  const begun = performance.now();
  expect(await signIn(org.anonymous, profile.login)).toMatchObject({ status: 200, body: { status: 'SUCCESS' } });
  expect(performance.now() - begun).toBeLessThan(whileBusy(2_000));
}

/** In each round, creates a user, moves the clock, and waits for a failed attempt. */
async function endure(rounds: number, minutes: number): Promise<string[]> {
  const ids: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = await failed();
    ids.push(await createUser());
    service.clock.advance(minutes * MINUTE);
    await until('another attempt', async () => (await failed()) > before);
  }
  return ids;
}

async function recovers(ids: readonly string[]): Promise<void> {
  receiver.answerBy(takesAll);
  service.clock.advance(61 * MINUTE);
  const last = await createUser();
  await until('everything', () => targets().includes(last));
  expect(targets().filter((id) => ids.includes(id) || id === last)).toEqual([...ids, last]);
  await until('the state', async () => (await state()).lag === 0 || (await state()).failures === 0);
}

describe('a target that is down for an hour', () => {
  test('gets everything in order afterwards; the delivery log and the System Log tell it; people sign in', async () => {
    receiver.answerBy((_, response) => response.destroy());
    const ids = await endure(6, 10);
    await signsIn();
    expect(await state()).toMatchObject({
      status: 'ACTIVE',
      failures: expect.any(Number),
      failingSince: expect.any(String),
      lastError: 'The host could not be reached, or its certificate is not trusted.',
      lastStatus: null,
    });
    const first = ids[0] ?? '';
    // Until the target accepts the first batch, the hook sends no other batch.
    for (const post of posts()) expect(idsIn(post)[0]).toBe(first);
    expect(new Set(posts().map(({ text }) => JSON.parse(text).eventId)).size).toBe(1);
    await recovers(ids);
    const log = await deliveries();
    expect(log.at(-1)).toMatchObject({ outcome: 'FAILED', attempt: 1, status: null });
    expect(log[0]).toMatchObject({ outcome: 'DELIVERED', status: 204 });
    const told = await org.systemLog(`eventType eq "event_hook.delivery" and target.id eq "${hookId}"`);
    expect(told.map(({ outcome }) => outcome.result)).toEqual(['FAILURE']);
    expect(await state()).toMatchObject({ failures: 0, failingSince: null, lastError: null });
  });
});

describe('a target that answers', () => {
  test('500 is asked once more at once, then later, with the same batch', async () => {
    receiver.answerBy((_, response) => response.writeHead(500).end('an error page'));
    const ids = await endure(2, 10);
    expect(posts().length).toBeGreaterThanOrEqual(4);
    expect(posts().length).toBe(2 * (await failed()));
    expect(await state()).toMatchObject({ lastStatus: 500, lastError: 'The host answered 500.' });
    expect(JSON.stringify(await deliveries())).not.toContain('an error page');
    await recovers(ids);
  });

  test('500 and then 204 has taken it, at the second time', async () => {
    receiver.answerBy((_, response) => response.writeHead(posts().length === 1 ? 500 : 204).end());
    const id = await createUser();
    await until('the event', () => targets().includes(id));
    expect(posts()).toHaveLength(2);
    expect(posts()[0]?.text).toBe(posts()[1]?.text);
    await until('the log', async () => (await deliveries()).length === 1);
    expect(await deliveries()).toMatchObject([{ outcome: 'DELIVERED', attempt: 1 }]);
  });

  test.each([401, 403, 404, 410, 429])('%i is asked once, and again later', async (status) => {
    receiver.answerBy((_, response) => response.writeHead(status).end());
    const ids = await endure(1, 10);
    expect(posts()).toHaveLength(await failed());
    await recovers(ids);
  });

  test.each([
    ['seconds', () => '1800'],
    ['a date', () => new Date(service.clock.now().getTime() + 30 * MINUTE).toUTCString()],
  ])('429 with Retry-After is left alone for that long: %s', async (_form, retryAfter) => {
    receiver.answerBy((_, response) => response.writeHead(429, { 'retry-after': retryAfter() }).end());
    await createUser();
    await until('an attempt', async () => (await failed()) === 1);
    const { nextAttempt } = await state();
    expect(Date.parse(nextAttempt) - service.clock.now().getTime()).toBeGreaterThan(29 * MINUTE);
  });

  test('a redirect to this machine is not followed', async () => {
    receiver.answerBy((_, response) => response.writeHead(302, { location: receiver.uri('/inside') }).end());
    const ids = await endure(1, 10);
    expect(new Set(receiver.requests.map(({ url }) => url))).toEqual(new Set(['/in']));
    expect(await state()).toMatchObject({ lastStatus: 302 });
    await recovers(ids);
  });

  test('422 because of one event gets the others; the one is set aside, and says so', async () => {
    const ids = [await createUser(), await createUser(), await createUser(), await createUser()];
    await until('the first ones', () => targets().length === 4);
    receiver.answerBy((request, response) => {
      const isPoisoned = request.text.includes('Poisoned');
      response.writeHead(isPoisoned ? 422 : 204).end();
    });
    const before = await createUser();
    const { id: poisoned } = await org.createUser({ profile: { firstName: 'Poisoned' } });
    const after = await createUser();
    await until('the one after it', () => targets().includes(after));
    expect(targets()).toEqual([...ids, before, after]);
    expect((await org.admin.get(`${HOOKS}/${hookId}/deadLetters`)).body).toMatchObject([
      { eventType: 'user.lifecycle.create', status: 422, reason: 'The host answered 422.' },
    ]);
    const [told] = await org.systemLog(`eventType eq "system.log.delivery.dead_letter" and target.id eq "${hookId}"`);
    expect(told).toBeDefined();
    receiver.answerBy(takesAll);
    const [letter] = (await org.admin.get(`${HOOKS}/${hookId}/deadLetters`)).body;
    const replayed = await org.admin.post(`${HOOKS}/${hookId}/lifecycle/replay`, {
      body: { position: letter.firstPosition },
    });
    expect(replayed).toMatchObject({ status: 200 });
    await until('it', () => targets().includes(poisoned));
    expect(targets().slice(-2)).toEqual([poisoned, after]);
  });

  test('10 GB has taken what it was sent; no more than a little of it is read', async () => {
    let written = 0;
    receiver.answerBy((_, response) => {
      response.writeHead(200, { 'content-length': String(10_000_000_000) });
      const chunk = Buffer.alloc(65_536);
      const more = (): void => {
        while (!response.destroyed && response.write(chunk)) written += chunk.length;
        response.once('drain', more);
      };
      more();
    });
    const before = process.memoryUsage().rss;
    const id = await createUser();
    await until('the log', async () => (await deliveries()).length === 1);
    expect(await deliveries()).toMatchObject([{ outcome: 'DELIVERED', status: 200, attempt: 1 }]);
    expect(posts().map(idsIn)).toEqual([[id]]);
    expect(written).toBeLessThan(50_000_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
  });

  test('never: it ends after three seconds, twice, and people sign in meanwhile', { timeout: 90_000 }, async () => {
    receiver.answerBy(() => undefined);
    const id = await createUser();
    await until('a delivery under way', () => posts().length === 1);
    await signsIn();
    await until('the end of it', async () => (await failed()) === 1);
    expect(posts()).toHaveLength(2);
    const [{ milliseconds }] = await deliveries();
    expect(milliseconds).toBeGreaterThan(5_500);
    expect(milliseconds).toBeLessThan(whileBusy(20_000));
    expect(await state()).toMatchObject({ lastError: 'The host did not answer within 3 seconds.', lastStatus: null });
    await recovers([id]);
  });
});

describe('a hook that fails', () => {
  test('keeps the hooks beside it from nothing', async () => {
    receiver.answerBy((request, response) => {
      if (request.url === '/in') response.writeHead(500).end();
      else takesAll(request, response);
    });
    await createVerifiedHook(org, newHook(receiver.uri('/well')));
    const ids = [await createUser(), await createUser()];
    await until('the events', () => ids.every((id) => targets().includes(id)));
    await until('a failure', async () => (await failed()) > 0);
  });

  test('can be stopped, and begins anew when it is activated; what was missed is replayed on demand', async () => {
    receiver.answerBy((_, response) => response.writeHead(503).end());
    const missed = await createUser();
    await until('a failure', async () => (await failed()) > 0);
    await org.admin.post(`${HOOKS}/${hookId}/lifecycle/deactivate`);
    receiver.answerBy(takesAll);
    service.clock.advance(10 * MINUTE);
    await org.admin.post(`${HOOKS}/${hookId}/lifecycle/activate`);
    const next = await createUser();
    await until('the next event', () => targets().includes(next));
    expect(targets()).toEqual([next]);
    await org.admin.post(`${HOOKS}/${hookId}/lifecycle/replay`, { body: { position: 1 } });
    await until('what was missed', () => targets().length >= 3);
    await until('the next event again', () => targets().at(-1) === next && targets().length > 2);
    const created = await org.systemLog('eventType eq "user.lifecycle.create"');
    expect(targets()).toEqual([next, ...created.map((event) => event.target[0].id)]);
    expect(targets()).toContain(missed);
  });
});
