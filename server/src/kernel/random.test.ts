import { expect, test } from 'vitest';
import { pooledRandomBytes, pooledRandomText } from './random.ts';

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

test('every call returns as many characters as requested, none of them twice, and all of them equally often', () => {
  const drawn = Array.from({ length: 20_000 }, () => pooledRandomText(22));
  expect(drawn.filter((text) => !/^[\w-]{22}$/.test(text))).toEqual([]);
  expect(new Set(drawn).size).toBe(drawn.length);
  const counts = new Map<string, number>();
  for (const character of drawn.join('')) counts.set(character, (counts.get(character) ?? 0) + 1);
  const expected = (drawn.length * 22) / 64;
  expect(counts.size).toBe(64);
  // Twelve standard deviations: a character with fewer random bits would be missing or twice as frequent somewhere.
  const margin = 12 * Math.sqrt(expected);
  expect([...counts.values()].filter((count) => Math.abs(count - expected) > margin)).toEqual([]);
});

test('more characters than the pool holds come at once', () => {
  expect(pooledRandomText(10_000)).toMatch(/^[\w-]{10000}$/);
  expect(pooledRandomText(0)).toBe('');
});
