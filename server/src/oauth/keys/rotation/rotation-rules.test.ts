import { describe, expect, test } from 'vitest';
import {
  expiryBefore,
  FIRST_ACTIVE_FROM,
  firstActiveFrom,
  isPublished,
  ORG_SERVER,
  signingKeyOf,
  signsSince,
  signsUntil,
  successorActiveFrom,
  successorDueAt,
} from './rotation-rules.ts';

const START = new Date('2026-11-20T12:00:00.000Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const after = (milliseconds: number): Date => new Date(START.getTime() + milliseconds);

const first = { createdAt: START, activeFrom: FIRST_ACTIVE_FROM, expiresAt: null };

describe('a rotation', () => {
  const activeFrom = successorActiveFrom(START, false);
  const former = { ...first, expiresAt: expiryBefore(activeFrom) };
  const successor = { createdAt: START, activeFrom, expiresAt: null };
  const keys = [successor, former];

  test('publishes a day before it signs, or two seconds', () => {
    expect(activeFrom).toEqual(after(DAY));
    expect(successorActiveFrom(START, true)).toEqual(after(2_000));
  });

  test('goes on signing with the former key until the successor is active, and with that one from then on', () => {
    expect(signingKeyOf(keys, after(DAY - 1))).toBe(former);
    expect(signingKeyOf(keys, after(DAY))).toBe(successor);
    expect(signingKeyOf([former, successor], after(DAY))).toBe(successor);
  });

  test('accepts the former key until the last token it signed is over, with an hour to spare', () => {
    const lastTokenEnds = after(DAY + HOUR);
    expect(isPublished(former, lastTokenEnds)).toBe(true);
    expect(isPublished(former, after(DAY + 2 * HOUR - 1))).toBe(true);
    expect(isPublished(former, after(DAY + 2 * HOUR))).toBe(false);
  });

  test('is due a day before the newest key has signed for 90 days', () => {
    expect(successorDueAt(first)).toEqual(after(89 * DAY));
    expect(successorDueAt(successor)).toEqual(after(DAY + 89 * DAY));
  });

  test('without a key there is none that signs', () => {
    expect(signingKeyOf([], START)).toBeUndefined();
    expect(signingKeyOf([former], after(30 * DAY))).toBeUndefined();
  });
});

describe('keys of a custom server', () => {
  test('are accepted for as long as the longest token of a rule lives, with an hour to spare', () => {
    expect(expiryBefore(START, 'aus1')).toEqual(after(25 * HOUR));
    expect(expiryBefore(START, ORG_SERVER)).toEqual(expiryBefore(START));
  });

  test('begin before the first key of the org, so that a build which knows no servers signs with none of them', () => {
    expect(firstActiveFrom(ORG_SERVER)).toEqual(FIRST_ACTIVE_FROM);
    expect(firstActiveFrom('aus1') < FIRST_ACTIVE_FROM).toBe(true);
    const custom = { createdAt: after(DAY), activeFrom: firstActiveFrom('aus1'), expiresAt: null };
    expect(signingKeyOf([custom, first], after(2 * DAY))).toBe(first);
  });

  test('sign since they were made or became active, for 90 days', () => {
    expect(signsSince(first)).toEqual(START);
    expect(signsUntil(first)).toEqual(after(90 * DAY));
    const later = { createdAt: START, activeFrom: after(DAY), expiresAt: null };
    expect([signsSince(later), signsUntil(later)]).toEqual([after(DAY), after(91 * DAY)]);
  });
});
