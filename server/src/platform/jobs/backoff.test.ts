import { describe, expect, test } from 'vitest';
import { backoffMilliseconds, JOB_BACKOFF } from './backoff.ts';

describe('backoffMilliseconds', () => {
  test('doubles from five seconds and ends at an hour', () => {
    expect([1, 2, 3, 4].map((attempt) => backoffMilliseconds(attempt, JOB_BACKOFF, 0.5))).toEqual([
      5_000, 10_000, 20_000, 40_000,
    ]);
    expect(backoffMilliseconds(11, JOB_BACKOFF, 0.5)).toBe(3_600_000);
    expect(backoffMilliseconds(5_000, JOB_BACKOFF, 0.5)).toBe(3_600_000);
  });

  test('takes its bounds from the kind of work', () => {
    const backoff = { first: 1_000, longest: 300_000 };
    expect([1, 2, 9, 10, 5_000].map((attempt) => backoffMilliseconds(attempt, backoff, 0.5))).toEqual([
      1_000, 2_000, 256_000, 300_000, 300_000,
    ]);
  });

  test('spreads by a fifth to both sides', () => {
    expect(backoffMilliseconds(1, JOB_BACKOFF, 0)).toBe(4_000);
    expect(backoffMilliseconds(1, JOB_BACKOFF, 1)).toBe(6_000);
    const drawn = Array.from({ length: 100 }, () => backoffMilliseconds(1));
    expect(new Set(drawn).size).toBeGreaterThan(1);
    for (const pause of drawn) expect(pause).toBeGreaterThanOrEqual(4_000);
  });
});
