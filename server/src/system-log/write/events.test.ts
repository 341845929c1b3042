import { expect, test } from 'vitest';
import { EVENT_TYPES, eventDefinition, isEventType } from './events.ts';

test('every event type is named as event types are and says what happened', () => {
  expect(EVENT_TYPES.length).toBeGreaterThanOrEqual(225);
  const isNamed = (eventType: string): boolean => /^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$/.test(eventType);
  expect(EVENT_TYPES.filter((eventType) => !isNamed(eventType))).toEqual([]);
  const messages = EVENT_TYPES.map((eventType) => [eventType, eventDefinition(eventType).displayMessage] as const);
  expect(messages.filter(([, message]) => !/^[A-Z].{3,79}$/.test(message))).toEqual([]);
});

test('only what is in the table is an event type', () => {
  expect(isEventType('user.lifecycle.create')).toBe(true);
  expect(isEventType('user.lifecycle.explode')).toBe(false);
  expect(isEventType('toString')).toBe(false);
});
