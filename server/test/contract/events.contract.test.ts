import { expect, test } from 'vitest';
import { EVENTS } from '../../src/system-log/events.ts';
import { contractEventTypes } from '../support/contract.ts';

/** What the published catalogue has no type for; the table of events says of each why it is there. */
const OWN_EVENTS: ReadonlySet<string> = new Set([
  'security.access.deny',
  'security.credential.refuse',
  'system.log.cursor.skip',
  'system.log.event.erase',
  'system.log.event.quarantine',
  'system.log.read',
  'system.org.domain.add',
  'system.org.rename',
  'system.org.trusted_proxy.add',
  'system.org.update',
  'user.account.update_recovery_question',
]);

const published = contractEventTypes();

test.each(Object.keys(EVENTS).filter((eventType) => !OWN_EVENTS.has(eventType)))(
  '%s is a published type',
  (eventType) => {
    expect([...published]).toContain(eventType);
  },
);

test('an own event has no published type, and is emitted', () => {
  for (const eventType of OWN_EVENTS) {
    expect(published.has(eventType)).toBe(false);
    expect(Object.keys(EVENTS)).toContain(eventType);
  }
});
