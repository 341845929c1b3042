import { isOpenIdScope } from '../access-tokens/openid-scope-rules.ts';

/** The exchanged token. An empty `serverId` means the org's own server. `scopes` are null for an ID token. */
export interface Exchanged {
  readonly serverId: string;
  readonly scopes: readonly string[] | null;
}

/**
 * Whether scopes exceed those of the exchanged token. The server that issued the token allows no other scopes. A server
 * that trusts the issuing server limits only the OpenID scopes. Other scopes of the same name have a different meaning
 * there, and the server's policies decide about them. An ID token says that its user was present, so it does not allow
 * access while the user is absent.
 */
export function exceeds({ scopes: held, serverId }: Exchanged, atServerId: string, scopes: readonly string[]): boolean {
  if (held === null) return scopes.includes('offline_access');
  const isBound = (scope: string): boolean => serverId === atServerId || isOpenIdScope(scope);
  return scopes.some((scope) => isBound(scope) && !held.includes(scope));
}
