import { expect, test } from 'vitest';
import { newId, risingIds } from './ids.ts';

test('rising ids look like all others, and come in the order in which they were made', () => {
  const next = risingIds('user', 'abc', new Date('2026-11-21T12:00:00.000Z'));
  const ids = Array.from({ length: 20_000 }, next);
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of [ids[0], ids.at(-1), newId('user', 'abc')]) expect(id).toMatch(/^00u[0-9A-Za-z]{14}abc$/);
});
