import { expect, test } from 'vitest';
import { OrdinalSet } from './ordinal-set.ts';

/** Makes a set for 64 events, which take two words. Only the first `words` words are there. */
const setOf = (words: number, ...ordinals: readonly number[]): OrdinalSet => {
  const set = new OrdinalSet(64, new Uint32Array(words));
  for (const ordinal of ordinals) set.add(ordinal);
  return set;
};

test('a set of no events is empty', () => {
  const empty = new OrdinalSet(0);
  expect([empty.count, empty.has(0), empty.ordinals()]).toEqual([0, false, []]);
  expect([empty.and(empty).ordinals(), empty.or(empty).ordinals()]).toEqual([[], []]);
});

test.each<[string, number, readonly number[], readonly number[]]>([
  ['no bytes', 40, [], []],
  ['fewer bytes than the set', 40, [0x81], [0, 7]],
  ['the bytes of the set', 40, [0, 0, 0, 0x80, 0x80], [31, 39]],
  ['more bytes than the set', 32, [1, 0, 0, 0x80, 0xff], [0, 31]],
  ['bytes for a set of no events', 0, [0xff], []],
])('a bitmap of %s makes a set', (_, count, bitmap, expected) => {
  const set = OrdinalSet.ofBitmap(Uint8Array.from(bitmap), count);
  expect([set.count, set.ordinals()]).toEqual([count, expected]);
});

test.each<[number, number, boolean]>([
  [64, 63, true],
  [64, 64, false],
  [33, 32, true],
  [32, 32, false],
  [0, 0, false],
])('a set of %i events contains %i after it is added: %s', (count, ordinal, isThere) => {
  const set = new OrdinalSet(count);
  set.add(ordinal);
  expect([set.has(ordinal), set.ordinals()]).toEqual([isThere, isThere ? [ordinal] : []]);
});

test.each<[string, OrdinalSet, OrdinalSet, number[], number[]]>([
  ['an empty set', setOf(2, 1, 40), setOf(2), [], [1, 40]],
  ['a set with a common event', setOf(2, 1, 40), setOf(2, 2, 40), [40], [1, 2, 40]],
  ['a set of fewer words', setOf(2, 1, 40), setOf(1, 1, 2), [1], [1, 2, 40]],
  ['a set without words', setOf(2, 1, 40), setOf(0), [], [1, 40]],
])('a set is intersected and joined with %s', (_, left, right, both, either) => {
  expect([left.and(right).ordinals(), left.or(right).ordinals()]).toEqual([both, either]);
  expect(left.ordinals()).toEqual([1, 40]);
});

test.each<[number, number, number[]]>([
  [0, 64, [1, 31, 32, 40]],
  [1, 40, [1, 31, 32]],
  [2, 32, [31]],
  [33, 99, [40]],
  [41, 64, []],
  [5, 5, []],
])('a set has its ordinals from %i to %i', (first, end, expected) => {
  expect(setOf(2, 1, 31, 32, 40).ordinals(first, end)).toEqual(expected);
});
