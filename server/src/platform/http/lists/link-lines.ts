import type { PageLink } from '../request/answer.ts';
import { encodeParameter, linkHeaders } from './link-header.ts';

/** Above this total length of the Link lines, `self` is left out. Clients and proxies limit the size of headers. */
const MAXIMUM_LINK_BYTES = 8_000;

/** Leaves out `self` if the lines would be too long. */
export function linkLines(baseUrl: string, path: string, links: readonly PageLink[]): string[] {
  const lines = allLines(baseUrl, path, links);
  const bytes = lines.reduce((sum, line) => sum + line.length, 0);
  return bytes <= MAXIMUM_LINK_BYTES ? lines : lines.filter((_, index) => links[index]?.rel !== 'self');
}

function allLines(baseUrl: string, path: string, links: readonly PageLink[]): string[] {
  return linkHeaders(
    links.map(({ rel, query }) => {
      const text = query.map(([name, value]) => `${encodeParameter(name)}=${encodeParameter(value)}`).join('&');
      return { rel, href: `${baseUrl}${path}${text === '' ? '' : `?${text}`}` };
    }),
  );
}
