import { expect, test } from 'vitest';
import { createFollowingClock } from './clock.ts';

const NOON = Date.parse('2026-11-20T12:00:00.000Z');
const HOUR = 3_600_000;

test.each([
  [HOUR, HOUR],
  [-HOUR, -HOUR],
  [1_000.4, 1_000],
  [999, 0],
  [-1_000, 0],
])('a clock that is %d ms ahead shifts the time by %d ms', (ahead, expected) => {
  const clock = createFollowingClock({ now: () => new Date(NOON) });
  expect(clock.now()).toEqual(new Date(NOON));
  clock.follow(ahead);
  expect(clock.now()).toEqual(new Date(NOON + expected));
  expect(clock.correctionMilliseconds).toBe(expected);
});

test('tells when the correction begins and ends, and follows meanwhile', () => {
  const clock = createFollowingClock({ now: () => new Date(NOON) });
  expect([5, HOUR, HOUR + 30, 12, 8].map((ahead) => clock.follow(ahead))).toEqual([false, true, false, true, false]);
  expect(clock.now()).toEqual(new Date(NOON));
});

test('does not begin and end by turns, or go back and forth', () => {
  const clock = createFollowingClock({ now: () => new Date(NOON) });
  const corrections = [1_001, 999, 1_240, 1_300, 501, 500, 999].map((ahead) => {
    clock.follow(ahead);
    return clock.correctionMilliseconds;
  });
  expect(corrections).toEqual([1_001, 1_001, 1_001, 1_300, 501, 0, 0]);
});
