import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changedRows, keyOf, MAXIMUM_KEY_CHARACTERS, numberKey, textKey } from './value-keys.ts';

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });

describe('numberKey', () => {
  test('orders as numbers do, and knows one zero', () => {
    fc.assert(
      fc.property(finite, finite, (left, right) => {
        const [one, two] = [numberKey(left), numberKey(right)];
        if (left < right) expect(one < two).toBe(true);
        else if (left > right) expect(one > two).toBe(true);
        else expect(one).toBe(two);
      }),
    );
    expect(numberKey(-0)).toBe(numberKey(0));
  });

  test.each([
    [0, '8000000000000000'],
    [1, 'bff0000000000000'],
    [-1, '400fffffffffffff'],
  ])('of %d is pinned: keys are stored', (number, key) => expect(numberKey(number)).toBe(key));
});

describe('textKey', () => {
  test('keeps short texts folded', () => expect(textKey('GRÜN')).toBe('grün'));

  test('long texts keep their beginning and differ by a digest', () => {
    const long = 'x'.repeat(MAXIMUM_KEY_CHARACTERS);
    expect(textKey(long)).toBe(long);
    expect(textKey(`${long}a`).startsWith(long)).toBe(true);
    expect(textKey(`${long}a`)).not.toBe(textKey(`${long}b`));
  });
});

test('keyOf keeps types apart', () => {
  expect(keyOf(new Date(0))).toBe('1970-01-01T00:00:00.000Z');
  expect(keyOf(true)).toBe('true');
  expect(keyOf(1)).toBe(numberKey(1));
});

test('changedRows names each difference once', () => {
  const row = (attributeId: number, valueKey: string) => ({ attributeId, valueKey });
  const before = [row(1, 'a'), row(2, 'b'), row(2, 'c')];
  const after = [row(1, 'a'), row(2, 'c'), row(3, 'd'), row(3, 'd')];
  expect(changedRows(before, after)).toEqual({ removed: [row(2, 'b')], added: [row(3, 'd')] });
  expect(changedRows(before, before)).toEqual({ removed: [], added: [] });
});
