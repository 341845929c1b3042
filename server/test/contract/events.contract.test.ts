import { expect, test } from 'vitest';
import { EVENTS } from '../../src/system-log/write/events.ts';
import { contractEventTypes } from '../support/contract.ts';
import { expectOfEvery } from '../support/offenders.ts';

/** Event types that the published catalogue lacks. */
const OWN_EVENTS: ReadonlySet<string> = new Set([
  'group.user_membership.rule.create',
  'group.user_membership.rule.delete',
  'group.user_membership.rule.update',
  'directory.group_profile.update',
  'directory.non_default_user_profile.delete',
  'directory.non_default_user_profile.update',
  'security.access.deny',
  'security.credential.refuse',
  'system.idp.route',
  'system.log.cursor.skip',
  'system.log.delivery.dead_letter',
  'system.log.delivery.replay',
  'system.log.event.erase',
  'system.log.event.quarantine',
  'system.log.export',
  'system.log.read',
  'system.log_stream.delivery',
  'system.org.domain.add',
  'system.org.export',
  'system.org.import',
  'system.org.lifecycle.delete',
  'system.org.rename',
  'system.org.trusted_proxy.add',
  'system.org.update',
  'user.session.refresh',
]);

/** Event types of the specification (section 6) that the catalogue contains only under their `currentEventType`. */
const SPECIFICATION_EVENTS: ReadonlySet<string> = new Set([
  'app.oauth2.as.authorize.token.grant_failure',
  'app.oauth2.authorize_failure',
  'app.oauth2.as.authorize_failure',
  'app.oauth2.as.authorize.scope_denied_failure',
  'app.oauth2.authorize.implicit_success',
  'app.oauth2.as.authorize.implicit_success',
  'app.oauth2.authorize.implicit',
  'app.oauth2.as.authorize.implicit',
]);

const published = contractEventTypes();

test('every name of the specification has its name of today', () =>
  expectOfEvery({ rows: [...SPECIFICATION_EVENTS], nameOf: String, atLeast: 8 }, (eventType) => {
    const definition = Object.entries(EVENTS).find(([name]) => name === eventType)?.[1];
    expect(
      published.has(definition?.currentEventType ?? ''),
      `whether ${definition?.currentEventType} is published`,
    ).toBe(true);
    expect(published.has(eventType), 'whether it is published itself').toBe(false);
  }));

test('every other event is of a published type', () => {
  const others = Object.keys(EVENTS).filter((name) => !OWN_EVENTS.has(name) && !SPECIFICATION_EVENTS.has(name));
  expect(others.length).toBeGreaterThanOrEqual(195);
  expect(others.filter((eventType) => !published.has(eventType))).toEqual([]);
});

test('an own event has no published type, and is emitted', () => {
  for (const eventType of OWN_EVENTS) {
    expect(published.has(eventType)).toBe(false);
    expect(Object.keys(EVENTS)).toContain(eventType);
  }
});
