import { askedScopes, type ReadScopes } from './scope-rules.ts';

export interface RequestedScope {
  readonly name: string;
  readonly isSystem: boolean;
  readonly consent: 'IMPLICIT' | 'REQUIRED' | 'FLEXIBLE';
}

/**
 * Reads the scopes that a client requests for itself. If the client names none, it gets the default scopes that are not
 * about a user. `known` are the existing scopes with the requested names, or the default scopes.
 */
export function readServerScopes(
  text: string,
  known: readonly RequestedScope[],
): ReadScopes | { readonly consentRequired: readonly string[] } {
  const asked = askedScopes(text);
  const isDefault = 'refused' in asked && asked.refused === 'missingScopes';
  if ('refused' in asked && !isDefault) return asked;
  // Default scopes about a user are meant for requests that have a user.
  const candidates = isDefault ? known.filter(({ isSystem }) => !isSystem) : known;
  const names = 'refused' in asked ? candidates.map(({ name }) => name) : asked.scopes;
  if (names.length === 0) return { refused: 'noDefaultScopes' };
  const scopes = names.map((name) => candidates.find((scope) => scope.name === name));
  if (scopes.some((scope) => scope?.isSystem === true)) return { refused: 'openidScopeForClient' };
  if (scopes.includes(undefined)) return { refused: 'invalidScope' };
  const consentRequired = scopes.flatMap((scope) => (scope?.consent === 'REQUIRED' ? [scope.name] : []));
  return consentRequired.length > 0 ? { consentRequired } : { scopes: names };
}
