import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PageLink } from '../request/answer.ts';
import { createCursorCodec } from './cursors.ts';
import { type KeysetRequest, keysetPage } from './keyset.ts';

const cursors = createCursorCodec(Buffer.alloc(32, 1));

const reader =
  (ids: readonly number[]) =>
  async ({ key, backwards, rows }: KeysetRequest<number>): Promise<number[]> => {
    const ordered = backwards ? ids.toReversed() : ids;
    return ordered.filter((id) => key === null || (backwards ? id < key : id > key)).slice(0, rows);
  };

type Direction = { after?: string; before?: string };

const pageOf = (ids: readonly number[], limit: number, at: Direction = {}) =>
  keysetPage(
    cursors,
    { orgId: '00oone', list: 'listThings', limit, query: [], after: at.after, before: at.before },
    (id: number) => id,
    reader(ids),
  );

const cursorOf = (links: readonly PageLink[], rel: 'next' | 'prev'): string | undefined =>
  links.find((link) => link.rel === rel)?.query.find(([name]) => name === 'after' || name === 'before')?.[1];

async function walk(ids: readonly number[], limit: number): Promise<{ pages: number[][]; backwards: number[][] }> {
  const pages: number[][] = [];
  const backwards: number[][] = [];
  let page = await pageOf(ids, limit);
  pages.push([...page.rows]);
  for (let after = cursorOf(page.links, 'next'); after !== undefined; after = cursorOf(page.links, 'next')) {
    page = await pageOf(ids, limit, { after });
    pages.push([...page.rows]);
  }
  for (let before = cursorOf(page.links, 'prev'); before !== undefined; before = cursorOf(page.links, 'prev')) {
    page = await pageOf(ids, limit, { before });
    backwards.unshift([...page.rows]);
  }
  return { pages, backwards };
}

describe('keysetPage', () => {
  test('four rows by two are exactly two pages', async () => {
    const { pages, backwards } = await walk([1, 2, 3, 4], 2);
    expect(pages).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(backwards).toEqual([[1, 2]]);
  });

  test('an empty list has no next and no prev', async () => {
    const page = await pageOf([], 2);
    expect(page.rows).toEqual([]);
    expect(page.links.map(({ rel }) => rel)).toEqual(['self']);
  });

  test('refuses after together with before', async () => {
    await expect(pageOf([1], 2, { after: 'a', before: 'b' })).rejects.toMatchObject({ code: 'E0000001' });
  });

  test('refuses a changed cursor, and one of the other direction', async () => {
    const next = cursorOf((await pageOf([1, 2, 3], 1)).links, 'next') ?? '';
    await expect(pageOf([1, 2, 3], 1, { after: `${next}A` })).rejects.toMatchObject({ code: 'E0000001' });
    await expect(pageOf([1, 2, 3], 1, { before: next })).rejects.toMatchObject({ code: 'E0000001' });
  });

  test('shows every row once, in order, whichever way it is walked; no page is empty', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 1, max: 8 }), async (count, limit) => {
        const ids = Array.from({ length: count }, (_, index) => index);
        const { pages, backwards } = await walk(ids, limit);
        expect(pages.flat()).toEqual(ids);
        expect(pages).toHaveLength(Math.max(1, Math.ceil(count / limit)));
        expect(backwards.flat()).toEqual(ids.slice(0, backwards.flat().length));
        expect(backwards.flat()).toHaveLength(count - (pages.at(-1)?.length ?? 0));
      }),
    );
  });
});
