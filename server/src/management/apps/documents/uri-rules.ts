import { invalid } from '../../../kernel/errors/errors.ts';
import type { ApplicationType } from './document-contract.ts';
import { readAbsolute } from './web-uri-rules.ts';

/** Schemes that no app may claim, because they already have a meaning. Some of them run code or read files. */
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

/**
 * The form of an https address with a single star, in the first label of a host name that has at least three labels.
 */
const WILDCARD_HOST = /^https:\/\/[a-z\d-]*\*[a-z\d-]*(?:\.[a-z\d-]+){2,}(?::\d{1,5})?(?:[/?][^*]*)?$/i;

/**
 * Returns whether a host is the user's own device (RFC 8252 7.3). `localhost` counts too, because published clients use
 * it.
 */
const isLoopback = (hostname: string): boolean =>
  hostname === '[::1]' || /^(?:127\.\d+\.\d+\.\d+|localhost)$/.test(hostname);

export type HttpRedirectUris = 'refused' | 'allowed';

/** Returns whether codes and tokens would leave the user's device unencrypted. */
const isPlain = (text: string): boolean => /^http:/i.test(text) && !isLoopback(new URL(text).hostname);

/** Refuses new plain http redirect URIs (RFC 9700 2.6). Existing ones may stay. */
export function assertNoPlainRedirect(field: string, uris: readonly string[], before: readonly string[]): void {
  if (uris.some((text) => isPlain(text) && !before.includes(text))) {
    throw invalid(
      field,
      'must have the scheme https, or http for a loopback host. See the setting httpRedirectUris of the org.',
    );
  }
}

/**
 * Reads a redirect URI (RFC 6749 3.1.2). Only native apps may use private-use schemes (RFC 8252 7). Only apps that
 * asked for wildcards may use a wildcard.
 */
export function readRedirectUri(
  field: string,
  text: string,
  app: { readonly applicationType: ApplicationType; readonly wildcards: boolean },
): string {
  if (text.includes('#')) throw invalid(field, 'must not contain a fragment.');
  if (text.includes('*')) {
    if (!app.wildcards) throw invalid(field, 'must not contain a wildcard unless wildcard_redirect is SUBDOMAIN.');
    if (!WILDCARD_HOST.test(text)) {
      throw invalid(field, 'must contain at most one wildcard, in the lowest-level domain of an https URI.');
    }
  }
  const { hostname, protocol } = readAbsolute(field, text.replace('*', 'x'));
  if (protocol === 'https:') return text;
  if (protocol === 'http:') {
    if (app.applicationType !== 'native' || isLoopback(hostname)) return text;
    throw invalid(field, 'must have a loopback host: native apps may use http only on the device itself.');
  }
  if (app.applicationType !== 'native') throw invalid(field, 'must have the scheme http or https.');
  if (UNSAFE_SCHEMES.has(protocol)) throw invalid(field, `must not have the scheme ${protocol.slice(0, -1)}.`);
  return text;
}
