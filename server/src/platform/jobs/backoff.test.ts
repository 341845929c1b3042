import { describe, expect, test } from 'vitest';
import { backoffMilliseconds } from './backoff.ts';

describe('backoffMilliseconds', () => {
  test('doubles from five seconds and ends at an hour', () => {
    expect([1, 2, 3, 4].map((attempt) => backoffMilliseconds(attempt, 0.5))).toEqual([5_000, 10_000, 20_000, 40_000]);
    expect(backoffMilliseconds(11, 0.5)).toBe(3_600_000);
    expect(backoffMilliseconds(5_000, 0.5)).toBe(3_600_000);
  });

  test('spreads by a fifth to both sides', () => {
    expect(backoffMilliseconds(1, 0)).toBe(4_000);
    expect(backoffMilliseconds(1, 1)).toBe(6_000);
    const drawn = Array.from({ length: 100 }, () => backoffMilliseconds(1));
    expect(new Set(drawn).size).toBeGreaterThan(1);
    for (const pause of drawn) expect(pause).toBeGreaterThanOrEqual(4_000);
  });
});
