import { expect, test } from 'vitest';
import { waitEndAfter, waitMinutesAfter } from './wait-rules.ts';

test('four wrong codes cost nothing; each further one doubles the wait, up to an hour', () => {
  expect([0, 1, 4, 5, 6, 7, 8, 9, 10, 1_000_000].map(waitMinutesAfter)).toEqual([0, 0, 0, 5, 10, 20, 40, 60, 60, 60]);
});

test('a wait ends that many minutes from now', () => {
  const now = new Date(0);
  expect(waitEndAfter(4, now)).toBeNull();
  expect(waitEndAfter(6, now)).toEqual(new Date(600_000));
});
