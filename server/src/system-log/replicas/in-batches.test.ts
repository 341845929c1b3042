import { expect, test } from 'vitest';
import { inBatches } from './in-batches.ts';

function newAsker() {
  const sent: { keys: readonly string[]; answer: (value: string) => void; fail: (error: Error) => void }[] = [];
  const ask = inBatches<string, string>(
    (keys) => new Promise((resolve, reject) => void sent.push({ keys, answer: resolve, fail: reject })),
  );
  return { ask, sent };
}

test('callers of one moment share a question, and a later caller never gets an earlier answer', async () => {
  const { ask, sent } = newAsker();
  const first = Promise.all([ask('a'), ask('b'), ask('a')]);
  await expect.poll(() => sent.length).toBe(1);
  const second = Promise.all([ask('a'), ask('c')]);
  sent[0]?.answer('early');
  expect(await first).toEqual(['early', 'early', 'early']);
  await expect.poll(() => sent.length).toBe(2);
  sent[1]?.answer('late');
  expect(await second).toEqual(['late', 'late']);
  expect(sent.map(({ keys }) => keys)).toEqual([
    ['a', 'b'],
    ['a', 'c'],
  ]);
});

test('a question that fails does not keep later ones from being asked', async () => {
  const { ask, sent } = newAsker();
  const first = ask('a');
  await expect.poll(() => sent.length).toBe(1);
  const second = ask('a');
  sent[0]?.fail(new Error('lost'));
  await expect(first).rejects.toThrow('lost');
  await expect.poll(() => sent.length).toBe(2);
  sent[1]?.answer('late');
  expect(await second).toBe('late');
});
