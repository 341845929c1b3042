import { afterAll, beforeAll, expect, test } from 'vitest';
import { EVENT_TYPES } from '../../src/system-log/events.ts';
import { EMITTED_EVENTS, SPECIFICATION_EVENTS } from '../contract/specification-events.ts';
import type { TestResponse } from '../support/client.ts';
import { repeatingOutbound } from '../support/hook-receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { useEveryRoute } from './use-every-route.ts';

type Event = TestResponse['body'];

/** Names of what somebody changed. */
const VERBS = [
  'create',
  'created',
  'update',
  'updated',
  'update_\\w+',
  'delete',
  'deleted',
  'initiated',
  'activate',
  'activated',
  'reactivate',
  'deactivate',
  'deactivated',
  'suspend',
  'unsuspend',
  'grant',
  'revoke',
  'add',
  'rename',
  'lock',
  'unlock',
  'unlock_by_admin',
  'reset_password',
  'expire_password',
  'rollover',
  'make_blacklist',
  'remove_blacklist',
];
const CHANGES = new RegExp(`(^|[._])(${VERBS.join('|')})$`);

/** Those that change nothing of which there is a before and after. */
const WITHOUT: Readonly<Record<string, string>> = {
  'app.oauth2.as.authorize.token.grant_failure': 'nothing was granted',
  'app.oauth2.as.token.revoke': 'a token is not stored: it only ceases to be good',
  'app.oauth2.token.revoke': 'a token is not stored: it only ceases to be good',
};

/** Where only the sending of a message or another attempt is the event, or the change is repeated without effect. */
const mayLack = ({ eventType, outcome, target }: Event): boolean =>
  outcome.result === 'FAILURE' ||
  ['user.account.reset_password', 'user.lifecycle.reactivate', 'user.account.lock'].includes(eventType) ||
  (target ?? []).length === 0;

let service: TestService;
let events: Event[];

beforeAll(async () => {
  service = await startTestService({ outbound: repeatingOutbound });
  await useEveryRoute(service);
  await service.drained();
  const { rows } = await service.database.pool.query<{ body: string }>('select body from log_events');
  events = rows.map(({ body }) => JSON.parse(body));
});
afterAll(() => service.close());

test('the exceptions are types that there are', () => {
  for (const name of Object.keys(WITHOUT)) expect(EVENT_TYPES).toContain(name);
});

test('every type that the specification names was emitted, and names first what it is about', () => {
  const kinds = new Map<string, Set<string>>();
  for (const { eventType, target } of events) {
    const seen = kinds.get(eventType) ?? new Set();
    // A sign-in under a name that nobody has is about nobody.
    if (target?.length > 0) seen.add(target[0].type);
    kinds.set(eventType, seen);
  }
  const emitted = EMITTED_EVENTS.map((eventType) => [eventType, [...(kinds.get(eventType) ?? [])]]);
  expect(emitted).toEqual(EMITTED_EVENTS.map((eventType) => [eventType, [SPECIFICATION_EVENTS[eventType]]]));
});

test('every change tells what was before and what is now', () => {
  const changes = events.filter(({ eventType }) => CHANGES.test(eventType) && !(eventType in WITHOUT));
  const lacking = changes.filter(
    (event) => !mayLack(event) && !event.target.some((target: Event) => target.changeDetails !== null),
  );
  expect([...new Set(lacking.map(({ eventType }) => eventType))]).toEqual([]);
  expect(new Set(changes.map(({ eventType }) => eventType)).size).toBeGreaterThan(40);
});

test('and no two sides that are alike', () => {
  for (const { eventType, target } of events) {
    for (const { changeDetails } of target ?? []) {
      if (changeDetails !== null) expect(changeDetails.from, eventType).not.toEqual(changeDetails.to);
    }
  }
});
