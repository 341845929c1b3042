import type { ConsentScope } from '../consent-rules.ts';

export interface AskedScope extends ConsentScope {
  readonly displayName: string | null;
  readonly description: string | null;
}

export const checkboxOf = (scopeId: string): string => `scope.${scopeId}`;

/** Describes the scopes of a form. If the request needs other scopes when the answer arrives, the answer is void. */
export const askedText = (asked: readonly ConsentScope[]): string =>
  asked
    .map(({ id, isOptional }) => `${id}${isOptional ? '?' : ''}`)
    .toSorted()
    .join(' ');

/** Returns an http or https address that users may be sent to; null for anything else. */
export function webAddress(text: string | null | undefined): string | null {
  if (text === null || text === undefined || !URL.canParse(text)) return null;
  const { href, protocol } = new URL(text);
  return protocol === 'https:' || protocol === 'http:' ? href : null;
}

/**
 * Returns the sources for `form-action`: our own pages and, with a redirect URI, every https address, because Chromium
 * applies `form-action` to every redirect after a form, even to the client's own. An http address is named by its
 * origin, but an IPv6 host or any other address by its scheme, because the policy cannot express more.
 */
export function formTargets(redirectUri: string | undefined): string {
  if (redirectUri === undefined || !URL.canParse(redirectUri)) return "'self'";
  const { hostname, origin, protocol } = new URL(redirectUri);
  const isNamed = protocol === 'http:' && /^[a-z\d.-]+$/.test(hostname);
  const own = isNamed ? origin : protocol;
  return own === 'https:' ? "'self' https:" : `'self' https: ${own}`;
}
