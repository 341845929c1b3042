import { isOpenIdScope } from '../access-tokens/openid-scope-rules.ts';

/** The exchanged token: its server ('' means the org's own) and its scopes; an ID token has none, hence null. */
export interface Exchanged {
  readonly serverId: string;
  readonly scopes: readonly string[] | null;
}

/**
 * Whether scopes exceed those of the exchanged token. At the server that issued it, no other scopes are allowed. At a
 * server that trusts that one, only the OpenID scopes are limited: other scopes of the same name mean something else
 * there, and its policies decide. An ID token states that its user was present, so it does not allow access in the
 * user's absence.
 */
export function exceeds({ scopes: held, serverId }: Exchanged, atServerId: string, scopes: readonly string[]): boolean {
  if (held === null) return scopes.includes('offline_access');
  const isBound = (scope: string): boolean => serverId === atServerId || isOpenIdScope(scope);
  return scopes.some((scope) => isBound(scope) && !held.includes(scope));
}
