import { askedScopes, type ReadScopes } from './scope-rules.ts';

/** The facts about a scope that decide whether a client gets it for itself. */
export interface RequestedScope {
  readonly name: string;
  readonly isSystem: boolean;
  readonly consent: 'IMPLICIT' | 'REQUIRED' | 'FLEXIBLE';
}

/**
 * The scopes of a custom server that a client requests for itself, without duplicates, in its order; if it names none,
 * the server's default scopes. `known` are the existing scopes of the requested names, or the default ones. Scopes
 * about a user, those that only a user may consent to, and unknown ones refuse the whole request.
 */
export function readServerScopes(
  text: string,
  known: readonly RequestedScope[],
): ReadScopes | { readonly consentRequired: readonly string[] } {
  const asked = askedScopes(text);
  const isDefault = 'refused' in asked && asked.refused === 'missingScopes';
  if ('refused' in asked && !isDefault) return asked;
  // A default scope about a user is meant for requests that have a user.
  const candidates = isDefault ? known.filter(({ isSystem }) => !isSystem) : known;
  const names = 'refused' in asked ? candidates.map(({ name }) => name) : asked.scopes;
  if (names.length === 0) return { refused: 'noDefaultScopes' };
  const scopes = names.map((name) => candidates.find((scope) => scope.name === name));
  if (scopes.some((scope) => scope?.isSystem === true)) return { refused: 'openidScopeForClient' };
  if (scopes.includes(undefined)) return { refused: 'invalidScope' };
  const consentRequired = scopes.flatMap((scope) => (scope?.consent === 'REQUIRED' ? [scope.name] : []));
  return consentRequired.length > 0 ? { consentRequired } : { scopes: names };
}
