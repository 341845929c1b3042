import type { Context } from '../../../kernel/context.ts';
import type { PageLink } from '../request/answer.ts';
import { encodeParameter } from './link-header.ts';

export interface PagePlace {
  /** The query as the client sent it. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** The limit that applies. Links contain it even if the client sent none. */
  readonly limit: number;
  readonly next: string | null;
  readonly previous: string | null;
}

const CURSORS = new Set(['after', 'before', 'limit']);

/** Returns `self` and, for pages that exist, `next` and `prev`. Parameters are in the order cursor, limit, others. */
export function pageLinks(place: PagePlace): PageLink[] {
  const limit = ['limit', String(place.limit)] as const;
  const rest = place.query.filter(([name]) => !CURSORS.has(name));
  const cursors = place.query.filter(([name]) => name === 'after' || name === 'before');
  const links: PageLink[] = [{ rel: 'self', query: [...cursors, limit, ...rest] }];
  if (place.next !== null) links.push({ rel: 'next', query: [['after', place.next], limit, ...rest] });
  if (place.previous !== null) links.push({ rel: 'prev', query: [['before', place.previous], limit, ...rest] });
  return links;
}

/** Returns the address of the next page, for a list with links in its body. */
export function nextAddress(address: string, links: readonly PageLink[]): string | null {
  const next = links.find(({ rel }) => rel === 'next');
  if (next === undefined) return null;
  const text = next.query.map(([name, value]) => `${encodeParameter(name)}=${encodeParameter(value)}`).join('&');
  return `${address}?${text}`;
}

/** Builds the `_links` of a list that has its links in its body. */
export function linksInBody({ baseUrl, url }: Context, path: string, links: readonly PageLink[]) {
  const next = nextAddress(`${baseUrl}${path}`, links);
  const self = { href: `${baseUrl}${(url ?? path).replace(/\?$/, '')}` };
  return next === null ? { self } : { self, next: { href: next } };
}
