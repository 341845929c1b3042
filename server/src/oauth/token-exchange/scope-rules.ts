import { isOpenIdScope } from '../access-tokens/openid-scope-rules.ts';

/** The exchanged token: its server ('' means the org's own) and its scopes; an ID token has none, hence null. */
export interface Exchanged {
  readonly serverId: string;
  readonly scopes: readonly string[] | null;
}

/**
 * Whether scopes are more than what is exchanged gives. At the server that issued it: all that it does not have. At
 * one that trusts that server: those about the person; the others are other ones by the same name, for which its
 * policies are asked. An ID token says that its user was there, which does not go on without him.
 */
export function exceeds({ scopes: held, serverId }: Exchanged, atServerId: string, scopes: readonly string[]): boolean {
  if (held === null) return scopes.includes('offline_access');
  const isBound = (scope: string): boolean => serverId === atServerId || isOpenIdScope(scope);
  return scopes.some((scope) => isBound(scope) && !held.includes(scope));
}
