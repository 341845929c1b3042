import type { IncomingHttpHeaders } from 'node:http';
import { prefersHtml } from '../request/media-types.ts';
import type { AnyRoute } from '../route.ts';

/** Paths that programs call. */
const PROGRAMS = /^\/(?:api|oauth2|\.well-known|idp|governance|scim)(?:\/|$)/;

export interface RefusedRequest {
  /** Null means that no route matched. */
  readonly route: Pick<AnyRoute, 'errorShape' | 'url'> | null;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Tells whether to answer a refused request with a page. On the routes of pages, a client that names `text/html` gets
 * one. Elsewhere, except in APIs, a browser that navigates gets one. Without Fetch metadata, the Accept header must
 * prefer HTML.
 */
export function wantsPage({ headers, path, route }: RefusedRequest): boolean {
  if (route?.errorShape === 'page') return /\btext\/html\b/i.test(headers.accept ?? '');
  // The router decodes encoded characters, so the path of a found route decides, not the path that the client sent.
  if (PROGRAMS.test(route?.url ?? path)) return false;
  const mode = headers['sec-fetch-mode'];
  return mode === undefined ? prefersHtml(headers.accept) : mode === 'navigate';
}
