import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../kernel/errors/errors.ts';
import { assertRoom, displacedBy, MAXIMUM_PRIORITY, nextPriority, readPriority } from './priority-rules.ts';

describe('nextPriority', () => {
  test.each([
    [[], 0],
    [[0], 1],
    [[0, 5, 2], 6],
  ])('behind %j comes %d', (taken, next) => expect(nextPriority(taken)).toBe(next));
});

describe('displacedBy', () => {
  test.each([
    [0, [], null],
    [1, [0, 2], null],
    [0, [0], { from: 0, to: 0 }],
    [1, [0, 1, 2, 4], { from: 1, to: 2 }],
    [0, [0, 1, 2], { from: 0, to: 2 }],
  ])('%d among %j moves %j', (wanted, taken, run) => expect(displacedBy(wanted, taken)).toEqual(run));

  test('leaves every place to one, the wanted one free, and the order as it was', () => {
    const places = fc.uniqueArray(fc.nat(30), { maxLength: 20 });
    fc.assert(
      fc.property(places, fc.nat(30), (taken, wanted) => {
        const run = displacedBy(wanted, taken);
        const isMoved = (place: number) => run !== null && place >= run.from && place <= run.to;
        const after = taken.toSorted((one, other) => one - other).map((place) => place + (isMoved(place) ? 1 : 0));
        expect(after).not.toContain(wanted);
        expect(new Set(after).size).toBe(taken.length);
        expect(after.toSorted((one, other) => one - other)).toEqual(after);
      }),
    );
  });
});

describe('readPriority', () => {
  test.each([0, 1, MAXIMUM_PRIORITY])('takes %d', (given) => expect(readPriority(given)).toBe(given));
  test.each([undefined, null])('takes %s for none', (given) => expect(readPriority(given)).toBeNull());
  test.each([-1, 1.5, MAXIMUM_PRIORITY + 1, Number.NaN, '1', {}])('refuses %j', (given) => {
    expect(() => readPriority(given)).toThrow(ApiError);
  });
});

describe('assertRoom', () => {
  test.each<[number, { from: number; to: number } | null]>([
    [0, null],
    [MAXIMUM_PRIORITY, null],
    [5, { from: 5, to: MAXIMUM_PRIORITY - 1 }],
  ])('accepts %j beside %j', (priority, displaced) => {
    expect(() => assertRoom(priority, displaced)).not.toThrow();
  });

  test.each<[number, { from: number; to: number } | null]>([
    [MAXIMUM_PRIORITY + 1, null],
    [MAXIMUM_PRIORITY, { from: MAXIMUM_PRIORITY, to: MAXIMUM_PRIORITY }],
    [5, { from: 5, to: MAXIMUM_PRIORITY }],
  ])('refuses %j beside %j', (priority, displaced) => {
    expect(() => assertRoom(priority, displaced)).toThrow('priority');
  });
});
