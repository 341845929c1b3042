import { invalid } from '../../../kernel/errors/errors.ts';

/**
 * Blanks, control characters and the backslash, which browsers read as a slash: RFC 3986 2 allows none of them in a
 * URI.
 */
const FOREIGN = /[\p{Cc}\p{White_Space}\\<>"^`{|}]/u;

/**
 * Addresses of this machine in a spelling that no program takes for another host. Requests to them never leave the
 * machine.
 */
const LOOPBACK = /^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?(?:[/?#]|$)/i;

/**
 * Reads an address that people are sent to or programs read keys from: absolute and https, without a user name or a
 * fragment; http for loopback hosts only. Credentials of people and of the org go there. 400 E0000001 naming the field.
 */
export function readSecureUri(field: string, text: string): string {
  const url = !FOREIGN.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw invalid(field, 'must be an absolute URI.');
  // Browsers accept `https:host` as a URL; other parsers understand something else.
  if (!/^https:\/\/[^/]/i.test(text) && !LOOPBACK.test(text)) {
    throw invalid(field, 'must have the scheme https, or http for a loopback host.');
  }
  if (url.username !== '' || url.password !== '') throw invalid(field, 'must not contain a user name.');
  if (text.includes('#')) throw invalid(field, 'must not contain a fragment.');
  return text;
}

/**
 * Reads the issuer of ID tokens: an address without a query (OpenID Connect Discovery 3). 400 E0000001 naming the
 * field.
 */
export function readIssuer(field: string, text: string): string {
  if (text.includes('?')) throw invalid(field, 'must not contain a query.');
  return readSecureUri(field, text);
}

/** Reads a name that SAML compares exactly (`issuer`, `audience`): mostly a URI, never with blanks. 400 E0000001. */
export function readEntityName(field: string, text: string): string {
  if (/[\p{Cc}\p{White_Space}]/u.test(text)) throw invalid(field, 'must not contain blanks.');
  return text;
}
