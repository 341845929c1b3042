import { expect, test } from 'vitest';
import { rowsWithin } from './page-bytes.ts';

const row = (length: number) => ({ id: '1', profile: { text: ['a'.repeat(length)] }, at: new Date(0), gone: null });

test('a page holds rows as long as they fit, and one whatever it takes', () => {
  expect(rowsWithin([], 10)).toBe(0);
  expect(rowsWithin([row(400), row(400), row(400)], 1_000)).toBe(2);
  expect(rowsWithin([row(400), row(400)], 10_000)).toBe(2);
  expect(rowsWithin([row(4_000), row(1)], 1_000)).toBe(1);
});

test('characters of several bytes count as such, and bytes as bytes', () => {
  expect(rowsWithin(['\u20ac'.repeat(300), 'a'], 600)).toBe(1);
  expect(rowsWithin([Buffer.alloc(500), Buffer.alloc(500)], 600)).toBe(1);
});
