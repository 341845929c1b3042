import type { ConsentScope } from '../consent-rules.ts';

/** A scope as the page shows it. */
export interface AskedScope extends ConsentScope {
  readonly displayName: string | null;
  readonly description: string | null;
}

/** Name of the form's member that gives an optional scope. */
export const checkboxOf = (scopeId: string): string => `scope.${scopeId}`;

/**
 * Describes the scopes that the form was shown for. The form's answer is void if other scopes are asked for by then.
 */
export const askedText = (asked: readonly ConsentScope[]): string =>
  asked
    .map(({ id, isOptional }) => `${id}${isOptional ? '?' : ''}`)
    .toSorted()
    .join(' ');

/** An address that people may be sent to; null: it is none, or no web address. */
export function webAddress(text: string | null | undefined): string | null {
  if (text === null || text === undefined || !URL.canParse(text)) return null;
  const { href, protocol } = new URL(text);
  return protocol === 'https:' || protocol === 'http:' ? href : null;
}

/**
 * Where the browser may be led by the form: here, and on to the client. Chromium asks `form-action` of every redirect
 * that follows a form, also of those by which the client goes on from its own address: to wherever that is by TLS. A
 * client without is named; of one that the policy has no words for, its scheme.
 */
export function formTargets(redirectUri: string | undefined): string {
  if (redirectUri === undefined || !URL.canParse(redirectUri)) return "'self'";
  const { hostname, origin, protocol } = new URL(redirectUri);
  const isNamed = protocol === 'http:' && /^[a-z\d.-]+$/.test(hostname);
  const own = isNamed ? origin : protocol;
  return own === 'https:' ? "'self' https:" : `'self' https: ${own}`;
}
