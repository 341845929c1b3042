import { invalid } from '../../../kernel/errors/errors.ts';

/** RFC 3986 2 does not allow these characters in a URI. */
const FOREIGN = /[\p{Cc}\p{White_Space}\\<>"^`{|}]/u;

/** Requests to loopback addresses never leave the machine, so they may use http. */
const LOOPBACK = /^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?(?:[/?#]|$)/i;

export function readSecureUri(field: string, text: string): string {
  const url = !FOREIGN.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw invalid(field, 'must be an absolute URI.');
  // `URL` accepts `https:host`, which other parsers interpret differently.
  if (!/^https:\/\/[^/]/i.test(text) && !LOOPBACK.test(text)) {
    throw invalid(field, 'must have the scheme https, or http for a loopback host.');
  }
  if (url.username !== '' || url.password !== '') throw invalid(field, 'must not contain a user name.');
  if (text.includes('#')) throw invalid(field, 'must not contain a fragment.');
  return text;
}

/** An issuer is an address without a query (OpenID Connect Discovery 3). */
export function readIssuer(field: string, text: string): string {
  if (text.includes('?')) throw invalid(field, 'must not contain a query.');
  return readSecureUri(field, text);
}

/** SAML compares entity IDs exactly. */
export function readEntityName(field: string, text: string): string {
  if (/[\p{Cc}\p{White_Space}]/u.test(text)) throw invalid(field, 'must not contain blanks.');
  return text;
}
