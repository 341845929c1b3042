import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  charactersIn,
  foldCase,
  loginKey,
  MAXIMUM_MARKS,
  nameKey,
  normalised,
  problemOfText,
  refusalOf,
  valueKey,
} from './text.ts';

const FORMS = ['NFC', 'NFKC', 'NFKD'] as const;
const MARKS = Array.from('\u0301\u0315\u0316\u0334\u20dd\u09bc\u3099\uff9e\uff9f');
const LETTERS = Array.from('aZß\u00e9\u1e9b\u212b\uac00\u1100\u1161\ufdfa\u0130漢\u{1f600}');

const mark = fc.constantFrom(...MARKS);
const row = fc.array(mark, { minLength: 1, maxLength: MAXIMUM_MARKS }).map((marks) => marks.join(''));
const text = fc
  .array(fc.tuple(fc.constantFrom(...LETTERS), fc.oneof(fc.constant(''), row)), { maxLength: 12 })
  .map((parts) => parts.flat().join(''));

/** Builds a string with two classes of marks in the wrong order, which makes normalization quadratic. */
const attack = (marks: number): string => `a${'\u0315'.repeat(marks / 2)}${'\u0316'.repeat(marks / 2)}`;

const milliseconds = (work: () => void): number => {
  const started = performance.now();
  work();
  return performance.now() - started;
};

describe('normalised', () => {
  test('is the normal form of what is no longer than it may be, and null of all else', () => {
    fc.assert(
      fc.property(text, fc.nat({ max: 40 }), fc.constantFrom(...FORMS), (given, maximum, form) => {
        const normal = given.normalize(form);
        const isShort = given.length <= 4 * maximum && charactersIn(normal) <= maximum;
        expect(normalised(given, maximum, form)).toBe(isShort ? normal : null);
      }),
      { numRuns: 2_000 },
    );
  });

  test('refuses one mark too many wherever it stands, and takes as many as there may be', () => {
    fc.assert(
      fc.property(text, fc.array(mark, { minLength: 31, maxLength: 60 }), text, (before, marks, after) => {
        const given = `${before}a${marks.join('')}${after}`;
        expect(refusalOf(given, 1_000)).toBe('tooManyMarks');
        expect(normalised(given, 1_000)).toBeNull();
        expect(problemOfText(given, 1_000)).toContain('30 combining marks');
        expect(refusalOf(`${before}a${marks.slice(0, 30).join('')}b${after}`, 1_000)).toBeNull();
      }),
    );
  });

  test('counts every character that may move behind another', () => {
    const moves = (character: string): boolean =>
      [`\u0315${character}`, `${character}\u0334`].some(
        (pair) => pair.normalize('NFKD') !== Array.from(pair, (one) => one.normalize('NFKD')).join(''),
      );
    const uncounted: string[] = [];
    for (let point = 0x80; point < 0x1_1000; point += 1) {
      if (point >= 0xd800 && point < 0xe000) continue;
      const character = String.fromCodePoint(point);
      if (moves(character) && refusalOf(character.repeat(31), 100) === null) {
        // Accented letters form no run of marks when repeated, because a base letter precedes each accent.
        const [first = ''] = Array.from(character.normalize('NFKD'));
        if (moves(first)) uncounted.push(point.toString(16));
      }
    }
    expect(uncounted).toEqual([]);
  });

  test('asks for the length before anything else', () => {
    const given = attack(40_000);
    expect(milliseconds(() => normalised(given, 255))).toBeLessThan(20);
    expect(refusalOf(given, 255)).toBe('tooLong');
  });
});

describe('problemOfText', () => {
  test('holds the length of the text as it was written, and that of its normal form', () => {
    expect(problemOfText('e\u0301'.repeat(5), 10)).toBeNull();
    expect(problemOfText('e\u0301'.repeat(5), 9)).toContain('at most 9 characters');
    // U+FB2C, a single character, becomes three characters in NFC.
    expect(problemOfText('\ufb2c'.repeat(3), 9)).toBeNull();
    expect(problemOfText('\ufb2c'.repeat(3), 8)).toContain('at most 8 characters');
    expect(problemOfText('', 0)).toBeNull();
  });
});

describe('keys', () => {
  test('are the same for all spellings of the same characters', () => {
    fc.assert(
      fc.property(text, (given) => {
        for (const key of [loginKey, valueKey, nameKey]) {
          expect(key(given.normalize('NFD'))).toBe(key(given));
          expect(key(given.normalize('NFC'))).toBe(key(given));
        }
        expect(nameKey(given)).toBe(given.normalize('NFC'));
        expect(foldCase(given)).toBe(given.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC'));
      }),
    );
  });

  test('cost no more than their length, also of what was stored before marks were counted', () => {
    for (const key of [loginKey, valueKey, nameKey]) {
      expect(milliseconds(() => key(attack(60_000)))).toBeLessThan(250);
    }
    // Plain `normalize` is slow even for a much shorter string of this kind.
    expect(milliseconds(() => attack(10_000).normalize('NFC'))).toBeGreaterThan(10);
  });
});
