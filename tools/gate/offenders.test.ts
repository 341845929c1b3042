import { expect, test } from 'vitest';
import { expectOfEvery } from '../../server/test/support/offenders.ts';

const nameOf = (row: number): string => `row ${row}`;
const rows = Array.from({ length: 20 }, (_, index) => index);
const isEven = (row: number): void => expect(row % 2, 'the remainder').toBe(0);

test('a walk without offenders passes, and has checked every row', async () => {
  const walked = new Set<number>();
  await expectOfEvery({ rows, nameOf, atLeast: 20 }, (row) => walked.add(row));
  expect(walked.size).toBe(20);
});

test('one failure lists every offender with its reason', async () => {
  const walk = expectOfEvery({ rows: [1, 2, 3, 4], nameOf, atLeast: 4 }, isEven);
  const remainder = 'the remainder: expected 1 to be +0 // Object.is equality';
  await expect(walk).rejects.toThrow(`2 of 4 rows:\nrow 1: ${remainder}\nrow 3: ${remainder}`);
});

test('values that an assertion compared are shown whole', async () => {
  const walk = expectOfEvery({ rows: [7], nameOf, atLeast: 1 }, () => {
    expect({ status: 200, text: 'a text of some length' }).toEqual({ status: 403, text: 'another text' });
  });
  await expect(walk).rejects.toThrow(/expected \{ status: 403, text: 'another text' \}\n.*received \{ status: 200/);
});

test('a check that waits is waited for, and so many rows are checked at once', async () => {
  let [running, most] = [0, 0];
  const check = async (): Promise<void> => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
  };
  await expectOfEvery({ rows, nameOf, atLeast: 20 }, check);
  expect([running, most]).toEqual([0, 8]);
  most = 0;
  await expectOfEvery({ rows, nameOf, atLeast: 20, atOnce: 1 }, check);
  expect(most).toBe(1);
});

test.each([
  ['no rows', [], 1],
  ['fewer rows than there have to be', [2, 4], 3],
  ['no number of rows', [], 0],
])('a walk of %s fails', async (_, some: readonly number[], atLeast) => {
  await expect(expectOfEvery({ rows: some, nameOf, atLeast }, isEven)).rejects.toThrow();
});
