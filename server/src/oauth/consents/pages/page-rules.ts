import type { ConsentScope } from '../consent-rules.ts';

export interface AskedScope extends ConsentScope {
  readonly displayName: string | null;
  readonly description: string | null;
}

export const checkboxOf = (scopeId: string): string => `scope.${scopeId}`;

/** The form sends this description of its scopes back, so that a change in the meantime is noticed. */
export const askedText = (asked: readonly ConsentScope[]): string =>
  asked
    .map(({ id, isOptional }) => `${id}${isOptional ? '?' : ''}`)
    .toSorted()
    .join(' ');

export function webAddress(text: string | null | undefined): string | null {
  if (text === null || text === undefined || !URL.canParse(text)) return null;
  const { href, protocol } = new URL(text);
  return protocol === 'https:' || protocol === 'http:' ? href : null;
}

/**
 * Returns the sources for `form-action`. Chromium applies `form-action` to every redirect after a form, even to the
 * client's own, so with a redirect URI the sources include all https addresses. If this URI is not https, they also
 * include its origin or, if the policy cannot express the origin, its scheme.
 */
export function formTargets(redirectUri: string | undefined): string {
  if (redirectUri === undefined || !URL.canParse(redirectUri)) return "'self'";
  const { hostname, origin, protocol } = new URL(redirectUri);
  const isNamed = protocol === 'http:' && /^[a-z\d.-]+$/.test(hostname);
  const own = isNamed ? origin : protocol;
  return own === 'https:' ? "'self' https:" : `'self' https: ${own}`;
}
