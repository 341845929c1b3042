import { invalid } from '../../../kernel/errors/errors.ts';

/** A character that a URI must not contain (RFC 3986 2). Browsers read the backslash as a slash. */
const FOREIGN = /[\p{Cc}\p{White_Space}\\<>"^`{|}]/u;

/** Reads an absolute URI without a user name or password. */
export function readAbsolute(field: string, text: string): URL {
  const url = !FOREIGN.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw invalid(field, 'must be an absolute URI.');
  // Browsers accept `https:/host` and `https:host` as URLs, but other parsers read them differently.
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  if (isWeb && !/^https?:\/\/[^/]/i.test(text)) throw invalid(field, 'must be an absolute URI.');
  if (url.username !== '' || url.password !== '') throw invalid(field, 'must not contain a user name.');
  return url;
}

export function readWebUri(field: string, text: string): string {
  const { protocol } = readAbsolute(field, text);
  if (protocol !== 'https:' && protocol !== 'http:') throw invalid(field, 'must have the scheme http or https.');
  return text;
}

export function readSecureUri(field: string, text: string): string {
  if (readAbsolute(field, text).protocol !== 'https:') throw invalid(field, 'must have the scheme https.');
  return text;
}

/** A back-channel logout URI must not contain a fragment (OpenID Connect Back-Channel Logout 2.2). */
export function readBackchannelUri(field: string, text: string): string {
  if (text.includes('#')) throw invalid(field, 'must not contain a fragment.');
  return readSecureUri(field, text);
}
