import { expect, test } from 'vitest';
import { pooledRandomBytes } from './random.ts';

test('every call returns as many bytes as requested, and none twice', () => {
  const drawn = Array.from({ length: 5_000 }, () => pooledRandomBytes(17));
  expect(drawn.filter((bytes) => bytes.length !== 17)).toEqual([]);
  expect(new Set(drawn.map((bytes) => bytes.toString('hex'))).size).toBe(drawn.length);
  // The results may share a buffer but do not overlap, so bytes that a caller keeps never change.
  const starts = drawn.map(({ buffer, byteOffset }) => [buffer, byteOffset] as const);
  const ofFirst = starts.filter(([buffer]) => buffer === starts[0]?.[0]).map(([, offset]) => offset);
  expect(ofFirst.every((offset, index) => index === 0 || offset - (ofFirst[index - 1] ?? 0) >= 17)).toBe(true);
});

test('more bytes than the pool holds come at once', () => {
  expect(pooledRandomBytes(10_000).length).toBe(10_000);
  expect(pooledRandomBytes(0).length).toBe(0);
});
