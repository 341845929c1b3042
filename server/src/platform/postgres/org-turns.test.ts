import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { toOrgId } from '../../kernel/words/ids.ts';
import { createOrgTurns } from './org-turns.ts';

const ORG = toOrgId('00o1');

interface Item {
  readonly key: string;
  readonly reject: (error: unknown) => void;
}

test('many items with one key leave room for those of others', async () => {
  const served: string[][] = [];
  const refused: string[] = [];
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const queue = createOrgTurns<Item>({
    maximumItems: 16,
    maximumUnderWay: 1,
    keyOf: ({ key }) => key,
    serve: async (_orgId, items) => {
      served.push(items.map(({ key }) => key));
      await released;
    },
  });
  const add = (key: string): void => queue(ORG, { key, reject: () => refused.push(key) });
  add('first');
  await nextTurn();
  for (let count = 0; count < 101; count += 1) add('one');
  add('other');
  expect(refused).toEqual(['one']);
  release();
  await expect.poll(() => served.length).toBe(101);
  expect(served.slice(0, 3)).toEqual([['first'], ['one', 'other'], ['one']]);
});
