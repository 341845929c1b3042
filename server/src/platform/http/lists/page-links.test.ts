import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linkLines } from './link-lines.ts';
import { type PagePlace, pageLinks } from './page-links.ts';

const baseUrl = 'https://acme.localhost:8443';
const path = '/api/v1/users';

const linesOf = (place: Partial<PagePlace>): string[] =>
  linkLines(baseUrl, path, pageLinks({ query: [], limit: 200, next: null, previous: null, ...place }));

const line = (rel: string, query: string): string => `<${baseUrl}${path}?${query}>; rel="${rel}"`;

describe('pageLinks', () => {
  test('echoes the effective query with the defaulted limit', () => {
    expect(linesOf({})).toEqual([line('self', 'limit=200')]);
  });

  test('orders the parameters: cursor, limit, the rest; repeated ones stay', () => {
    const query = [
      ['q', 'x'],
      ['limit', '2'],
      ['after', 'old'],
      ['q', 'y'],
    ] as const;
    expect(linesOf({ query, limit: 2, next: 'new', previous: 'back' })).toEqual([
      line('self', 'after=old&limit=2&q=x&q=y'),
      line('next', 'after=new&limit=2&q=x&q=y'),
      line('prev', 'before=back&limit=2&q=x&q=y'),
    ]);
  });

  test('has no next and no prev where there is no such page', () => {
    expect(linesOf({ query: [['before', 'b']], limit: 5 })).toEqual([line('self', 'before=b&limit=5')]);
  });

  test('any query comes back as it was, from a URL without commas, spaces, quotes and angle brackets', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { maxLength: 5 }), text, (entries, next) => {
        const query = entries.filter(([name]) => !['after', 'before', 'limit'].includes(name));
        const href = /^<(.*)>; rel="next"$/.exec(linesOf({ query, limit: 7, next })[1] ?? '')?.[1] ?? '';
        expect(href).toMatch(/^[^\s,<>"'()]+$/);
        expect([...new URL(href).searchParams]).toEqual([['after', next], ['limit', '7'], ...query]);
      }),
    );
  });
});
