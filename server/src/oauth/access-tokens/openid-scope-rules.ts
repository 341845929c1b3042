import type { Namespace } from '../../kernel/words/namespace.ts';

/** The scopes of OpenID Connect Core (3.1.2.1, 5.4 and 11) and, from the contract, `groups` and `device_sso`. */
export const OPENID_SCOPES = [
  'openid',
  'profile',
  'email',
  'address',
  'phone',
  'offline_access',
  'groups',
  'device_sso',
] as const;

const NAMES: ReadonlySet<string> = new Set(OPENID_SCOPES);

export const isOpenIdScope = (scope: string): boolean => NAMES.has(scope);

/**
 * Converts a scope to the form that tokens contain, in which the org's own API scopes start with the namespace word.
 */
export const wireScope = (scope: string, { word }: Pick<Namespace, 'word'>): string =>
  isOpenIdScope(scope) ? scope : `${word}.${scope}`;

/** Reverses `wireScope`. Returns null for a scope that `wireScope` never returns. */
export function neutralScope(scope: string, word: string): string | null {
  if (isOpenIdScope(scope)) return scope;
  const neutral = scope.startsWith(`${word}.`) ? scope.slice(word.length + 1) : '';
  return neutral === '' || isOpenIdScope(neutral) ? null : neutral;
}
