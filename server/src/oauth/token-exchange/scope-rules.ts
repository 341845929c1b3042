import { isOpenIdScope } from '../access-tokens/openid-scope-rules.ts';

/** The exchanged token. An empty `serverId` means the org's own server. `scopes` is null for an ID token. */
export interface Exchanged {
  readonly serverId: string;
  readonly scopes: readonly string[] | null;
}

/**
 * Returns whether scopes exceed those of the exchanged token. At the server that issued the token, the token limits all
 * scopes. At another server, it limits only the OpenID scopes, because any other scope of the same name may mean
 * something else there. An ID token excludes only `offline_access`.
 */
export function exceeds({ scopes: held, serverId }: Exchanged, atServerId: string, scopes: readonly string[]): boolean {
  if (held === null) return scopes.includes('offline_access');
  const isBound = (scope: string): boolean => serverId === atServerId || isOpenIdScope(scope);
  return scopes.some((scope) => isBound(scope) && !held.includes(scope));
}
