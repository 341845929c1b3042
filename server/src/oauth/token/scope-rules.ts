import type { OAuthErrorCode } from '../../kernel/errors/oauth-errors.ts';

const MAXIMUM_LENGTH = 1_024;
/** The characters that a `scope` parameter may contain (RFC 6749 3.3). */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e ]*$/;

/** Scopes about a user, which a client that acts for itself cannot get. */
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

export function askedScopes(text: string | undefined): ReadScopes {
  const asked = [...new Set((text ?? '').split(' ').filter((scope) => scope !== ''))];
  if (asked.length === 0) return { refused: 'missingScopes' };
  if (text === undefined || text.length > MAXIMUM_LENGTH || !SCOPE.test(text)) return { refused: 'invalidScope' };
  return { scopes: asked };
}

/**
 * Returns the scopes that a client requests for itself, without the namespace word. Refuses the whole request if one of
 * them is about a user, is not granted to the client (specification 4.6) or ends in `.self`.
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
