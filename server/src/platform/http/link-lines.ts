import type { PageLink } from './answer.ts';
import { encodeParameter, linkHeaders } from './link-header.ts';

/** One Link line per relation, never merged (contract section 2). */
export function linkLines(baseUrl: string, path: string, links: readonly PageLink[]): string[] {
  return linkHeaders(
    links.map(({ rel, query }) => {
      const text = query.map(([name, value]) => `${encodeParameter(name)}=${encodeParameter(value)}`).join('&');
      return { rel, href: `${baseUrl}${path}${text === '' ? '' : `?${text}`}` };
    }),
  );
}
