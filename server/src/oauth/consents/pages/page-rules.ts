import type { ConsentScope } from '../consent-rules.ts';

/** A scope as the page shows it. */
export interface AskedScope extends ConsentScope {
  readonly displayName: string | null;
  readonly description: string | null;
}

/** Name of the form's member that grants an optional scope. */
export const checkboxOf = (scopeId: string): string => `scope.${scopeId}`;

/**
 * Describes the scopes that the form was shown for. The form's answer is void if other scopes are requested by then.
 */
export const askedText = (asked: readonly ConsentScope[]): string =>
  asked
    .map(({ id, isOptional }) => `${id}${isOptional ? '?' : ''}`)
    .toSorted()
    .join(' ');

/** A web address that people may be sent to; null for anything else. */
export function webAddress(text: string | null | undefined): string | null {
  if (text === null || text === undefined || !URL.canParse(text)) return null;
  const { href, protocol } = new URL(text);
  return protocol === 'https:' || protocol === 'http:' ? href : null;
}

/**
 * The targets that the form may lead to: here, and on to the client. Chromium applies `form-action` to every redirect
 * after a form, also to the client's own further ones, so every https address is allowed. An http client is named; for
 * an address that the policy cannot express, its scheme is.
 */
export function formTargets(redirectUri: string | undefined): string {
  if (redirectUri === undefined || !URL.canParse(redirectUri)) return "'self'";
  const { hostname, origin, protocol } = new URL(redirectUri);
  const isNamed = protocol === 'http:' && /^[a-z\d.-]+$/.test(hostname);
  const own = isNamed ? origin : protocol;
  return own === 'https:' ? "'self' https:" : `'self' https: ${own}`;
}
