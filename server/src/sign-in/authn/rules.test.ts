import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ATTEMPT_LIMITS,
  type AttemptKind,
  endOfTransaction,
  minutesAfter,
  passwordAgeOf,
  recoveryTypeOf,
  slidingExpiry,
  windowStartOf,
} from './rules.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const daysBefore = (days: number): Date => minutesAfter(NOW, -days * 24 * 60);

describe('passwordAgeOf', () => {
  const age = { maxAgeDays: 90, expireWarnDays: 7 };

  test.each([
    [0, { kind: 'fresh' }],
    [82, { kind: 'fresh' }],
    [83, { kind: 'endsSoon', days: 7 }],
    [89, { kind: 'endsSoon', days: 1 }],
    [89.99, { kind: 'endsSoon', days: 1 }],
    [90, { kind: 'tooOld' }],
    [900, { kind: 'tooOld' }],
    // The clock of the node that set the password was ahead.
    [-1, { kind: 'fresh' }],
  ])('%d days old', (days, expected) => expect(passwordAgeOf(age, daysBefore(days), NOW)).toEqual(expected));

  test('no age in the policy, or no password: always fresh', () => {
    expect(passwordAgeOf({ maxAgeDays: 0, expireWarnDays: 7 }, daysBefore(9_999), NOW)).toEqual({ kind: 'fresh' });
    expect(passwordAgeOf(age, null, NOW)).toEqual({ kind: 'fresh' });
  });

  test('no warning in the policy: it ends without one', () => {
    expect(passwordAgeOf({ maxAgeDays: 90, expireWarnDays: 0 }, daysBefore(89.9), NOW)).toEqual({ kind: 'fresh' });
  });
});

describe('expiries', () => {
  test('slide by five minutes, never beyond the end', () => {
    const begun = { cause: 'SIGN_IN', status: 'PASSWORD_EXPIRED' } as const;
    expect(slidingExpiry(NOW, { ...begun, endsAt: minutesAfter(NOW, 60) })).toEqual(minutesAfter(NOW, 5));
    expect(slidingExpiry(NOW, { ...begun, endsAt: minutesAfter(NOW, 2) })).toEqual(minutesAfter(NOW, 2));
  });

  test.each([
    ['PASSWORD', 'PASSWORD_RESET', 15],
    ['ACTIVATION', 'PASSWORD_RESET', 15],
    ['PASSWORD', 'RECOVERY', 5],
    ['SIGN_IN', 'PASSWORD_RESET', 5],
  ] as const)('%s at %s has %d minutes', (cause, status, minutes) => {
    const endsAt = minutesAfter(NOW, 60);
    expect(slidingExpiry(NOW, { cause, endsAt, status })).toEqual(minutesAfter(NOW, minutes));
  });

  test.each([
    [null, 60],
    [7 * 24 * 60, 60],
    [60, 60],
    [20, 20],
    [1, 15],
    [-1, 15],
  ])('a mailed token with %j minutes left: %d', (left, expected) => {
    const end = endOfTransaction(NOW, left === null ? null : minutesAfter(NOW, left));
    expect(end).toEqual(minutesAfter(NOW, expected));
  });

  test('an hour is the most, a quarter of one the least, whatever the token', () => {
    fc.assert(
      fc.property(fc.option(fc.date({ noInvalidDate: true })), (token) => {
        const end = endOfTransaction(NOW, token);
        expect(end.getTime()).toBeLessThanOrEqual(minutesAfter(NOW, 60).getTime());
        expect(end.getTime()).toBeGreaterThanOrEqual(minutesAfter(NOW, 15).getTime());
      }),
    );
  });
});

describe('windowStartOf', () => {
  test.each(Object.keys(ATTEMPT_LIMITS) as AttemptKind[])(
    '%s: now lies in the window, which begins on its length',
    (kind) => {
      const length = ATTEMPT_LIMITS[kind].windowSeconds * 1_000;
      fc.assert(
        fc.property(fc.date({ min: new Date(0), noInvalidDate: true }), (now) => {
          const start = windowStartOf(kind, now).getTime();
          expect(start % length).toBe(0);
          expect(now.getTime() - start).toBeGreaterThanOrEqual(0);
          expect(now.getTime() - start).toBeLessThan(length);
        }),
      );
    },
  );
});

test('only recoveries have a recovery type', () => {
  expect((['SIGN_IN', 'ACTIVATION', 'PASSWORD', 'UNLOCK'] as const).map(recoveryTypeOf)).toEqual([
    null,
    null,
    'PASSWORD',
    'UNLOCK',
  ]);
});
