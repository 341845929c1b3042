import type { CookieHeaders } from './cookie-values.ts';

/** Tells whether a page of another origin sent the form, as far as the headers show. */
export function isFromElsewhere({ origin, 'sec-fetch-site': site }: CookieHeaders, baseUrl: string): boolean {
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return origin !== undefined && origin !== baseUrl;
}

/** Tells whether one of our own pages sent the form. Without an Origin header, Fetch metadata must show it. */
export const isFromOwnPage = ({ origin, 'sec-fetch-site': site }: CookieHeaders, baseUrl: string): boolean =>
  origin === undefined ? site === 'same-origin' : origin === baseUrl;
