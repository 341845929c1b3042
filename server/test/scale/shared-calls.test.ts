import { expect, test } from 'vitest';
import {
  isAloneInShared,
  isShared,
  needOwnTransaction,
  noteChange,
  run,
  together,
} from '../../src/platform/postgres/index.ts';
import { context, refusal, type UseCase, useChanges } from '../support/changes.ts';

const { newSharedWork, outcomesOf, stored } = useChanges();

test('a use case knows whether it is alone in a shared transaction', async () => {
  const asking: UseCase = async (tx) => [isShared(tx), isAloneInShared(tx)];
  const shared = newSharedWork();
  expect(await shared(context, 'alone', asking)).toEqual([true, true]);
  expect(await outcomesOf({ a: asking, b: asking })).toEqual([
    [true, false],
    [true, false],
  ]);
  const leaving: UseCase = async (tx, record) => {
    needOwnTransaction(tx);
    return asking(tx, record);
  };
  expect(await shared(context, 'leaving', leaving)).toEqual([false, false]);
});

test('a use case that fails after a common call changed something for it runs on its own', async () => {
  const calls: string[] = [];
  const changing =
    (key: string): UseCase =>
    async (tx, record) => {
      await together(tx, 'insert', key, (all, keys) => {
        calls.push(keys.join(' '));
        return run(all, 'insert into changes (key) select unnest($1::text[])', [keys]);
      });
      noteChange(tx);
      if (key === 'b') throw refusal();
      record({ eventType: key });
    };
  const [a, refused, c] = await outcomesOf({ a: changing('a'), b: changing('b'), c: changing('c') });
  expect([a, c]).toEqual([undefined, undefined]);
  expect(refused).toMatchObject({ code: 'E0000038' });
  expect(calls.toSorted()).toEqual(['a b c', 'a c', 'b']);
  expect(await stored()).toEqual({ changes: ['a', 'c'], outbox: ['a', 'c'] });
});

test('a use case that is too late begins no change, and does not disturb the others', async () => {
  const shared = newSharedWork();
  const add =
    (key: string): UseCase =>
    async (tx, record) => {
      await run(tx, 'insert into changes (key) values ($1)', [key]);
      record({ eventType: key });
    };
  const late = shared({ ...context, changesUntil: performance.now() - 1 }, 'late', add('late'));
  const other = shared(context, 'other', add('other'));
  await expect(late).rejects.toMatchObject({ code: 'E0000181' });
  await other;
  expect(await stored()).toEqual({ changes: ['other'], outbox: ['other'] });
});
