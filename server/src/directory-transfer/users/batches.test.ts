import { describe, expect, test } from 'vitest';
import type { RawRow } from '../formats/raw-rows.ts';
import { batchesOf, inLanes } from './batches.ts';

const rows = (texts: readonly string[]): RawRow[] => texts.map((text, index) => ({ number: index + 1, text }));

async function* pages(...lists: readonly (readonly RawRow[])[]): AsyncGenerator<readonly RawRow[]> {
  yield* lists;
}

async function sizes(of: AsyncIterable<readonly RawRow[]>, size = { rows: 3, bytes: 100 }): Promise<number[]> {
  const found: number[] = [];
  for await (const batch of batchesOf(of, size)) found.push(batch.rows.length);
  return found;
}

describe('batches', () => {
  test('are cut in the same places, however the rows come', async () => {
    const all = rows(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    expect(await sizes(pages(all))).toEqual([3, 3, 1]);
    expect(await sizes(pages(all.slice(0, 1), all.slice(1, 6), all.slice(6)))).toEqual([3, 3, 1]);
  });

  test('are smaller where rows are long', async () => {
    const long = 'x'.repeat(60);
    expect(await sizes(pages(rows([long, long, long, 'a', 'b'])))).toEqual([2, 3]);
  });
});

async function* items<Item>(list: readonly Item[]): AsyncGenerator<Item> {
  yield* list;
}

describe('lanes', () => {
  test('run two at once, and in order where they have a key in common', async () => {
    const log: string[] = [];
    let running = 0;
    let most = 0;
    const given = [
      { name: 'a', keys: ['x'] },
      { name: 'b', keys: ['y'] },
      { name: 'c', keys: ['x', 'z'] },
      { name: 'd', keys: ['z'] },
    ];
    await inLanes(
      items(given),
      2,
      ({ keys }) => new Set(keys),
      async ({ name }) => {
        running += 1;
        most = Math.max(most, running);
        log.push(`${name} begins`);
        await new Promise(setImmediate);
        log.push(`${name} ends`);
        running -= 1;
      },
    );
    expect(most).toBe(2);
    expect(log.indexOf('a ends')).toBeLessThan(log.indexOf('c begins'));
    expect(log.indexOf('c ends')).toBeLessThan(log.indexOf('d begins'));
    expect(log).toHaveLength(8);
  });

  test('the first failure ends it, when what is under way has ended', async () => {
    const ended: number[] = [];
    const running = inLanes(
      items([1, 2, 3, 4, 5]),
      2,
      () => new Set(),
      async (item) => {
        await new Promise(setImmediate);
        if (item === 2) throw new Error('two');
        ended.push(item);
      },
    );
    await expect(running).rejects.toThrow('two');
    expect(ended).toContain(1);
    expect(ended).not.toContain(5);
  });
});
