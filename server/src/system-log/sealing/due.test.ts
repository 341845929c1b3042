import { describe, expect, test } from 'vitest';
import { toOrgId } from '../../kernel/words/ids.ts';
import { areFewFurther, dueAt, nextDueAt, sealableUpTo } from './due.ts';

const orgId = toOrgId('00o1');
const at = (text: string): Date => new Date(`${text}Z`);
const FULL = 32_768;

describe('an event is due', () => {
  test.each([
    ['2026-11-20T00:00:00', '2026-11-21T00:10:00'],
    ['2026-11-20T23:59:59.999', '2026-11-21T00:10:00'],
    ['2026-11-21T00:00:00', '2026-11-22T00:10:00'],
  ])('ten minutes after its day: %s', (persistedAt, due) => {
    expect(dueAt(at(persistedAt))).toEqual(at(due));
  });

  test('that does not exist yet after today', () => {
    expect(nextDueAt(at('2026-11-20T23:00:00'))).toEqual(at('2026-11-21T00:10:00'));
  });
});

describe('events that come after their day was sealed', () => {
  const oldestAt = at('2026-11-20T08:00:00');
  const found = { orgId, head: 7, sealed: 4, oldestAt };

  test.each([
    [{ sealedAt: at('2026-11-20T07:00:00') }, true],
    [{ sealedAt: at('2026-11-20T07:00:00'), head: 504 }, false],
    [{ sealedAt: at('2026-11-19T23:59:59') }, false],
    [{ sealedAt: null }, false],
    [{ sealedAt: at('2026-11-20T07:00:00'), oldestAt: null }, false],
  ])('are few: %j %s', (more, expected) => {
    expect(areFewFurther({ ...found, ...more })).toBe(expected);
  });
});

describe('the events of an org may be sealed', () => {
  const oldestAt = at('2026-11-20T08:00:00');
  const noon = at('2026-11-20T12:00:00');
  const quiet = { orgId, head: 7, sealed: 4, oldestAt };

  test('up to the head when the day of the oldest one is over', () => {
    expect(sealableUpTo(quiet, noon)).toBeNull();
    expect(sealableUpTo(quiet, at('2026-11-21T00:09:59'))).toBeNull();
    expect(sealableUpTo(quiet, at('2026-11-21T00:10:00'))).toBe(7);
  });

  test('during the day when they fill a segment, but not the newest ones', () => {
    expect(sealableUpTo({ ...quiet, sealed: 0, head: FULL + 1_999 }, noon)).toBeNull();
    expect(sealableUpTo({ ...quiet, sealed: 0, head: FULL + 2_000 }, noon)).toBe(FULL);
    expect(sealableUpTo({ ...quiet, sealed: 100, head: FULL + 5_100 }, noon)).toBe(FULL + 3_100);
  });

  test('if a row is missing, so that the sealer finds the fault', () => {
    expect(sealableUpTo({ ...quiet, oldestAt: null }, noon)).toBe(7);
  });

  test('not if there are none, or if the head is behind', () => {
    const later = at('2026-12-01T00:00:00');
    expect(sealableUpTo({ ...quiet, sealed: 7, oldestAt: null }, later)).toBeNull();
    expect(sealableUpTo({ ...quiet, sealed: 9 }, later)).toBeNull();
  });
});
