import { describe, expect, test } from 'vitest';
import { EVENT_TYPES, EVENTS } from '../../src/system-log/write/events.ts';
import { EMITTED_EVENTS, SPECIFICATION_EVENTS } from '../contract/specification-events.ts';
import type { TestResponse } from '../support/client.ts';
import { productSources } from '../support/sources.ts';

type Event = TestResponse['body'];

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

/** Types of events without old and new values, each with the reason. */
const WITHOUT: Readonly<Record<string, string>> = {
  'app.oauth2.as.token.revoke': 'a token is not stored: it only ceases to be good',
  'app.oauth2.token.revoke': 'a token is not stored: it only ceases to be good',
};

const mayLack = ({ eventType, outcome, target }: Event): boolean =>
  outcome.result === 'FAILURE' ||
  ['user.account.reset_password', 'user.lifecycle.reactivate', 'user.account.lock'].includes(eventType) ||
  (target ?? []).length === 0;

export const OWN_WORDS: ReadonlySet<string> = new Set([
  'User account unlocked by its owner',
  'Sign-in from unknown devices blocked after failed attempts',
  'Signing key of the authorization server created',
  // The events with these messages have the same current names as the events of refused requests.
  'Authorization requested',
  'Authorization requested at a custom server',
]);

/** Declares tests that compare the events of a walk over all routes with the catalogue and with the specification. */
export function describeEventsOfWalk(eventsOf: () => readonly Event[]): void {
  test('every type that was emitted, and every one that is named in the source, is in the catalogue', () => {
    const emitted = new Set<string>(eventsOf().map(({ eventType }) => eventType));
    expect(emitted.size).toBeGreaterThan(20);
    const known = new Set(Object.entries(EVENTS).flatMap(([name, { currentEventType }]) => [name, currentEventType]));
    expect([...emitted].filter((type) => !known.has(type))).toEqual([]);
    const named = productSources().flatMap((text) => text.match(/(?<=eventType: ')[\w.]+(?=')/g) ?? []);
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter((type) => !(type in EVENTS))).toEqual([]);
  });

  describe('what changed', () => {
    test('the exceptions are types that there are', () => {
      for (const name of Object.keys(WITHOUT)) expect(EVENT_TYPES).toContain(name);
    });

    test('every type that the specification names was emitted, and names first what it is about', () => {
      const kinds = new Map<string, Set<string>>();
      for (const { eventType, target } of eventsOf()) {
        const seen = kinds.get(eventType) ?? new Set();
        // A sign-in with an unknown login has no target.
        if (target?.length > 0) seen.add(target[0].type);
        kinds.set(eventType, seen);
      }
      const emitted = EMITTED_EVENTS.map((eventType) => [eventType, [...(kinds.get(eventType) ?? [])]]);
      expect(emitted).toEqual(EMITTED_EVENTS.map((eventType) => [eventType, [SPECIFICATION_EVENTS[eventType]]]));
    });

    test('every change tells what was before and what is now', () => {
      const changes = eventsOf().filter(({ eventType }) => CHANGES.test(eventType) && !(eventType in WITHOUT));
      const lacking = changes.filter(
        (event) => !mayLack(event) && !event.target.some((target: Event) => target.changeDetails !== null),
      );
      expect([...new Set(lacking.map(({ eventType }) => eventType))]).toEqual([]);
      expect(new Set(changes.map(({ eventType }) => eventType)).size).toBeGreaterThan(40);
    });

    test('and no two sides that are alike', () => {
      for (const { eventType, target } of eventsOf()) {
        for (const { changeDetails } of target ?? []) {
          if (changeDetails !== null) expect(changeDetails.from, eventType).not.toEqual(changeDetails.to);
        }
      }
    });
  });
}
