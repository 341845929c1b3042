import { beforeEach, describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import {
  createDeliveryCheck,
  createHook,
  createVerifiedHook,
  HOOKS,
  newHook,
  SECRET,
  startHookReceiver,
  until,
} from '../support/hook-receiver.ts';
import { startTestService, type TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

// This file tests the deliveries that a receiver gets, over a real connection and from the real ledger.

const receiver = beforeTests(startHookReceiver);
const { service } = useService(() => ({ outbound: receiver.outbound() }));
let org: TestOrg;

beforeEach(async () => {
  receiver.reset();
  org = await service.newOrg();
  // A new sink starts after the last event of the ledger, so it would also send events that the relay has not yet moved
  // to the ledger.
  await service.drained();
});

const subscribed = (items: readonly string[], filter: unknown = null) => ({
  events: { type: 'EVENT_TYPE', items, filter },
});
const CREATE = 'user.lifecycle.create';
const targets = (): string[] => receiver.events(org).map((event) => event.target[0].id);
const received = (count: number) => until(`${count} events`, () => receiver.events(org).length >= count);
const act = (hook: { id: string }, action: string) => org.admin.post(`${HOOKS}/${hook.id}/lifecycle/${action}`);

async function createUsers(count: number, firstName = 'Ada'): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1) ids.push((await org.createUser({ profile: { firstName } })).id);
  return ids;
}

async function createUsersBefore(count: number): Promise<void> {
  await createUsers(count);
  await service.drained();
}

describe('a hook that is verified', () => {
  test('gets every event of its types once, in the order of the log, and nothing else', async () => {
    await createUsersBefore(1);
    const hook = await createVerifiedHook(
      org,
      newHook(receiver.uri('/in?a=b'), subscribed([CREATE, 'user.lifecycle.suspend'])),
    );
    const ids = await createUsers(5);
    for (const id of ids) await org.admin.post(`/api/v1/users/${id}/lifecycle/suspend`);
    const other = await service.newOrg();
    await other.createUser();
    await received(10);
    const [create, suspend] = [CREATE, 'user.lifecycle.suspend'].map((type) => ids.map((id) => [type, id]));
    expect(receiver.events(org).map((event) => [event.eventType, event.target[0].id])).toEqual([
      ...(create ?? []),
      ...(suspend ?? []),
    ]);
    const logged = await org.systemLog(`eventType eq "${CREATE}" or eventType eq "user.lifecycle.suspend"`);
    expect(receiver.events(org).map(({ uuid }) => uuid)).toEqual(logged.slice(-10).map(({ uuid }) => uuid));
    const [event] = receiver.events(org);
    const { ipChain, ...client } = event.client;
    expect(ipChain).toEqual(event.request.ipChain);
    expect(ipChain).not.toHaveLength(0);
    expect({ ...event, client }).toEqual(logged.at(-10));
    for (const delivery of receiver.taken(org)) {
      expect(delivery).toEqual({
        eventType: 'com.svc.event_hook',
        eventTypeVersion: '1.0',
        cloudEventsVersion: '0.1',
        source: `${org.baseUrl}${HOOKS}/${hook.id}`,
        eventId: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/),
        eventTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        contentType: 'application/json',
        data: { events: expect.any(Array) },
      });
    }
    const posts = receiver.posts(org);
    expect(posts[0]).toMatchObject({
      url: '/in?a=b',
      headers: { authorization: SECRET, 'content-type': 'application/json', host: `hooks.example:${receiver.port}` },
    });
    expect(new Set(receiver.taken(org).map(({ eventId }) => eventId)).size).toBe(posts.length);
  });

  test('gets of a type with a filter what a search with that filter shows', async () => {
    const expression = 'target.displayName co "Grace" and not (outcome.result eq "FAILURE")';
    const filter = { type: 'EXPRESSION_LANGUAGE', eventFilterMap: [{ event: CREATE, condition: { expression } }] };
    await createVerifiedHook(org, newHook(receiver.uri(), subscribed([CREATE, 'user.lifecycle.suspend'], filter)));
    const [ada] = await createUsers(1);
    const graces = await createUsers(2, 'Grace');
    await org.admin.post(`/api/v1/users/${ada}/lifecycle/suspend`);
    await received(3);
    expect(targets()).toEqual([...graces, ada]);
    const found = await org.systemLog(`eventType eq "${CREATE}" and ${expression}`);
    expect(found.map((event) => event.target[0].id)).toEqual(graces);
  });

  test('hears what an org says of hooks from nobody: a failing hook makes no more events for itself', async () => {
    const refused = await org.admin.post(HOOKS, {
      body: newHook(receiver.uri(), subscribed(['event_hook.delivery'])),
    });
    expect(refused).toMatchObject({ status: 400 });
  });
});

describe('nothing is sent', () => {
  test('before the address was verified, while inactive, after a change of the channel, when deleted', async () => {
    const hook = await createHook(org, newHook(receiver.uri()));
    await createUsersBefore(1);
    await act(hook, 'verify');
    const [first] = await createUsers(1);
    await received(1);
    await act(hook, 'deactivate');
    await createUsersBefore(1);
    await act(hook, 'activate');
    const [second] = await createUsers(1);
    await received(2);
    await org.admin.put(`${HOOKS}/${hook.id}`, { body: newHook(receiver.uri('/new')) });
    await createUsersBefore(1);
    await act(hook, 'verify');
    const [third] = await createUsers(1);
    await received(3);
    await act(hook, 'deactivate');
    await org.admin.del(`${HOOKS}/${hook.id}`);
    await createUsersBefore(1);
    // By the time another hook receives a later event, the deleted hook would have received the earlier one.
    const witness = await createVerifiedHook(org, newHook(receiver.uri('/witness')));
    const [last] = await createUsers(1);
    await received(4);
    expect(targets()).toEqual([first, second, third, last]);
    expect(receiver.posts(org).map(({ url }) => url)).toEqual(['/in', '/in', '/new', '/witness']);
    expect(await org.admin.get(`${HOOKS}/${hook.id}/deliveries`)).toMatchObject({ status: 404 });
    const { body } = await org.admin.get(`${HOOKS}/${witness.id}/deliveries`);
    expect(body).toMatchObject([{ outcome: 'DELIVERED', status: 204, events: 1, attempt: 1 }]);
  });

  test('of what one org does to the hook of another', async () => {
    const other = await service.newOrg();
    await service.drained();
    await createVerifiedHook(org, newHook(receiver.uri('/mine')));
    await createVerifiedHook(other, newHook(receiver.uri('/other')));
    const [mine] = await createUsers(1);
    const theirs = (await other.createUser()).id;
    await received(1);
    await until('what happened there', () => receiver.events(other).length > 0);
    for (const [of, url, id] of [
      [org, '/mine', mine],
      [other, '/other', theirs],
    ] as const) {
      expect(receiver.posts(of).map((post) => post.url)).toEqual([url]);
      expect(receiver.events(of).map((event) => event.target[0].id)).toEqual([id]);
    }
  });
});

describe('the signature of a delivery (attack 103)', () => {
  test('lets a receiver take each delivery once and refuse forgeries, copies and old ones', async () => {
    await createVerifiedHook(org, newHook(receiver.uri()));
    await createUsers(1);
    await received(1);
    const request = receiver.posts(org)[0];
    if (request === undefined) throw new Error('nothing came');
    const signature = String(request.headers['x-svc-hook-signature']);
    const now = service.clock.now();
    const newCheck = (secret = SECRET, at = now) => createDeliveryCheck(secret, () => at);
    const check = newCheck();
    expect(check(signature, request.text)).toBe('taken');
    expect(check(signature, request.text)).toBe('replayed');
    expect(newCheck()(signature, request.text.replace('Ada', 'Eve'))).toBe('forged');
    expect(newCheck()(signature.replace(/t=\d/, 't=9'), request.text)).toBe('forged');
    expect(
      newCheck()(
        signature.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
        request.text,
      ),
    ).toBe('forged');
    expect(newCheck()(undefined, request.text)).toBe('forged');
    expect(newCheck('another secret')(signature, request.text)).toBe('forged');
    for (const minutes of [6, -6]) {
      expect(newCheck(SECRET, new Date(now.getTime() + minutes * 60_000))(signature, request.text)).toBe('old');
    }
  });

  test('is not there where there is no secret to sign with', async () => {
    const channel = { type: 'HTTP', version: '1.0.0', config: { uri: receiver.uri() } };
    await createVerifiedHook(org, newHook('', { channel }));
    await createUsers(1);
    await received(1);
    const request = receiver.posts(org)[0];
    expect(Object.keys(request?.headers ?? {})).not.toContain('x-svc-hook-signature');
    expect(request?.headers.authorization).toBeUndefined();
  });
});

test('the word of another namespace stands wherever the vendor’s does', async () => {
  const outbound = receiver.outbound();
  const renamed = await startTestService({ outbound, namespace: 'acme' });
  try {
    await createVerifiedHook(renamed.org, newHook(receiver.uri()));
    await renamed.org.createUser();
    await until('an event', () => receiver.events(renamed.org).length > 0);
    expect(receiver.requests.some(({ headers }) => 'x-acme-verification-challenge' in headers)).toBe(true);
    expect(receiver.posts(renamed.org)[0]?.headers['x-acme-hook-signature']).toBeDefined();
    expect(receiver.taken(renamed.org)[0].eventType).toBe('com.acme.event_hook');
  } finally {
    await renamed.close();
  }
});
