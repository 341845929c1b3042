import type { OAuthErrorCode } from '../../kernel/errors/oauth-errors.ts';

const MAXIMUM_LENGTH = 1_024;
/** RFC 6749 3.3: scope tokens, and the spaces between them. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e ]*$/;

/** Scopes about a user, who is absent when a client acts for itself. */
const USER_SCOPES: ReadonlySet<string> = new Set([
  'openid',
  'profile',
  'email',
  'address',
  'phone',
  'groups',
  'offline_access',
  'device_sso',
]);

export type ReadScopes = { readonly scopes: readonly string[] } | { readonly refused: OAuthErrorCode };

/** The names in a `scope` parameter, without duplicates. `missingScopes`: it names none. */
export function askedScopes(text: string | undefined): ReadScopes {
  const asked = [...new Set((text ?? '').split(' ').filter((scope) => scope !== ''))];
  if (asked.length === 0) return { refused: 'missingScopes' };
  if (text === undefined || text.length > MAXIMUM_LENGTH || !SCOPE.test(text)) return { refused: 'invalidScope' };
  return { scopes: asked };
}

/**
 * The scopes that a client requests for itself, in neutral spelling, without duplicates. One that is not granted to it
 * refuses the whole request (specification 4.6: it is not narrowed silently). `granted` are neutral too.
 */
export function readClientScopes(text: string | undefined, granted: readonly string[], word: string): ReadScopes {
  const read = askedScopes(text);
  if ('refused' in read) return read;
  const asked = read.scopes;
  if (asked.some((scope) => USER_SCOPES.has(scope))) return { refused: 'openidScopeForClient' };
  const prefix = `${word}.`;
  if (asked.some((scope) => !scope.startsWith(prefix))) return { refused: 'invalidScope' };
  const scopes = asked.map((scope) => scope.slice(prefix.length));
  if (scopes.some((scope) => !granted.includes(scope))) return { refused: 'invalidScope' };
  return scopes.some((scope) => scope.endsWith('.self')) ? { refused: 'selfScopeForClient' } : { scopes };
}
