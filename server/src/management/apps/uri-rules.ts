import { invalid } from '../../kernel/errors.ts';
import type { ApplicationType } from './document-contract.ts';

const refuse = (field: string, cause: string) => invalid(field, `${field}: ${cause}`);

/** Blanks, control characters and what browsers read as a slash: none stands in a URI (RFC 3986 2). */
const FOREIGN = /[\p{Cc}\p{White_Space}\\<>"^`{|}]/u;

/** Schemes that run, read files or hold their own content: a code sent there would be anybody's. */
const UNSAFE_SCHEMES: ReadonlySet<string> = new Set([
  'about:',
  'blob:',
  'data:',
  'file:',
  'filesystem:',
  'ftp:',
  'javascript:',
  'mailto:',
  'tel:',
  'vbscript:',
  'view-source:',
  'ws:',
  'wss:',
]);

function readAbsolute(field: string, text: string): URL {
  const url = !FOREIGN.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw refuse(field, 'must be an absolute URI.');
  // `https:/host` and `https:host` are URLs to browsers and something else to everyone else.
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  if (isWeb && !/^https?:\/\/[^/]/i.test(text)) throw refuse(field, 'must be an absolute URI.');
  if (url.username !== '' || url.password !== '') throw refuse(field, 'must not hold a user name.');
  return url;
}

/** An address that people or programs are sent to: http or https, absolute. 400 E0000001 naming the field. */
export function readWebUri(field: string, text: string): string {
  const { protocol } = readAbsolute(field, text);
  if (protocol !== 'https:' && protocol !== 'http:') throw refuse(field, 'the scheme must be http or https.');
  return text;
}

/** An address that keys or sectors are read from: https. 400 E0000001 naming the field. */
export function readSecureUri(field: string, text: string): string {
  if (readAbsolute(field, text).protocol !== 'https:') throw refuse(field, 'the scheme must be https.');
  return text;
}

/** One star in the lowest-level domain of an https address, with a domain between it and the top level. */
const WILDCARD_HOST = /^https:\/\/[a-z\d-]*\*[a-z\d-]*(?:\.[a-z\d-]+){2,}(?::\d{1,5})?(?:[/?][^*]*)?$/i;

/**
 * A redirect URI: absolute, without a fragment (RFC 6749 3.1.2), compared exactly later. Web, browser and service apps
 * are reached by http or https; native ones also by a scheme of their own (RFC 8252 7.1). A wildcard only where the app
 * asked for it. 400 E0000001 naming the field.
 */
export function readRedirectUri(
  field: string,
  text: string,
  app: { readonly applicationType: ApplicationType; readonly wildcards: boolean },
): string {
  if (text.includes('#')) throw refuse(field, 'must not hold a fragment.');
  if (text.includes('*')) {
    if (!app.wildcards) throw refuse(field, 'wildcards need wildcard_redirect SUBDOMAIN.');
    if (!WILDCARD_HOST.test(text)) {
      throw refuse(field, 'a wildcard may stand once, in the lowest-level domain of an https address.');
    }
  }
  const { protocol } = readAbsolute(field, text.replace('*', 'x'));
  if (protocol === 'https:' || protocol === 'http:') return text;
  if (app.applicationType !== 'native') throw refuse(field, 'the scheme must be http or https.');
  if (UNSAFE_SCHEMES.has(protocol)) throw refuse(field, `the scheme ${protocol.slice(0, -1)} is not allowed.`);
  return text;
}
