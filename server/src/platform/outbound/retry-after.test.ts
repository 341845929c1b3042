import { expect, test } from 'vitest';
import { retryAfterMilliseconds } from './retry-after.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');

test.each<[string | string[] | undefined, number | undefined]>([
  ['0', 0],
  ['7', 7_000],
  ['86400', 300_000],
  ['999999999', 300_000],
  ['Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
  ['Fri, 20 Nov 2027 12:00:30 GMT', 300_000],
  ['Fri, 20 Nov 2026 11:00:30 GMT', undefined],
  ['Fri, 20 Nov 2026 12:00:30 GMT'.padEnd(65), undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['2027-01-01', undefined],
  ['', undefined],
  [['1', '2'], undefined],
  [undefined, undefined],
])('Retry-After %j asks for %j milliseconds', (value, milliseconds) => {
  expect(retryAfterMilliseconds(value, NOW, 300_000)).toBe(milliseconds);
});
