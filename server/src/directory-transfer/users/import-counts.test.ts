import { expect, test } from 'vitest';
import { MAXIMUM_LEFT_OUT, NOTHING, sum } from './import-counts.ts';

const leaving = (names: readonly string[]) => ({
  ...NOTHING,
  leftOut: Object.fromEntries(names.map((name): [string, number] => [name, 1])),
});

test('names that every object has are names like others', () => {
  const names = ['__proto__', 'constructor', 'toString', 'city'];
  const { leftOut } = sum(sum(NOTHING, leaving(names)), leaving(names));
  expect(Object.entries(leftOut)).toEqual(names.map((name) => [name, 2]));
});

test('of all batches together no more names are kept than of one', () => {
  const names = (first: number) => Array.from({ length: MAXIMUM_LEFT_OUT }, (_, index) => `name${first + index}`);
  const { leftOut } = sum(sum(leaving(names(0)), leaving(names(50))), leaving(names(1_000)));
  expect(Object.keys(leftOut)).toHaveLength(MAXIMUM_LEFT_OUT + 1);
  expect(leftOut).toMatchObject({ name0: 1, name50: 2, '(others)': 150 });
});
