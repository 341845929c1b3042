import type { CookieHeaders } from './cookie-values.ts';

/** Whether another site's page sent it, so that the browser left our cookies out (SameSite=Lax). */
export function isFromElsewhere({ origin, 'sec-fetch-site': site }: CookieHeaders, baseUrl: string): boolean {
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return origin !== undefined && origin !== baseUrl;
}

/** Whether the browser says that one of our own pages sent the form; without Origin, Fetch metadata must say so. */
export const isFromOwnPage = ({ origin, 'sec-fetch-site': site }: CookieHeaders, baseUrl: string): boolean =>
  origin === undefined ? site === 'same-origin' : origin === baseUrl;
