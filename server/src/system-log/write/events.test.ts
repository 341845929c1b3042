import { expect, test } from 'vitest';
import { EVENT_TYPES, eventDefinition, isEventType } from './events.ts';

test.each(EVENT_TYPES)('%s is named as event types are and says what happened', (eventType) => {
  expect(eventType).toMatch(/^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$/);
  expect(eventDefinition(eventType).displayMessage).toMatch(/^[A-Z].{3,79}$/);
});

test('only what is in the table is an event type', () => {
  expect(isEventType('user.lifecycle.create')).toBe(true);
  expect(isEventType('user.lifecycle.explode')).toBe(false);
  expect(isEventType('toString')).toBe(false);
});
