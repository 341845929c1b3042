import type { OAuthErrorCode } from '../../kernel/errors/oauth-errors.ts';
import { isOpenIdScope, neutralScope } from '../access-tokens/openid-scope-rules.ts';
import { askedScopes, type ReadScopes } from '../token/scope-rules.ts';

export type ReadUserScopes = { readonly scopes: readonly string[] } | { readonly refused: OAuthErrorCode };

/** The value of a `scope` parameter, whose length is limited, or an earlier grant's list of any length. */
export type RequestedScopes = string | readonly string[];

export function namedScopes(asked: RequestedScopes): ReadScopes {
  if (typeof asked === 'string') return askedScopes(asked);
  return asked.length === 0 ? { refused: 'missingScopes' } : { scopes: [...new Set(asked)] };
}

/** OpenID scopes need no grant. API scopes must be granted to the app. */
export function readOrgScopes(asked: RequestedScopes, granted: readonly string[], word: string): ReadUserScopes {
  const read = namedScopes(asked);
  if ('refused' in read) return read;
  const isGiven = (scope: string): boolean => {
    const neutral = neutralScope(scope, word);
    return neutral !== null && (isOpenIdScope(neutral) || granted.includes(neutral));
  };
  return read.scopes.every(isGiven) ? read : { refused: 'invalidScope' };
}

/** Scopes about a user that require `openid`. */
const NEED_OPENID: ReadonlySet<string> = new Set(['profile', 'email', 'address', 'phone', 'device_sso']);

export const lacksOpenId = (scopes: readonly string[]): boolean =>
  scopes.some((scope) => NEED_OPENID.has(scope)) && !scopes.includes('openid');

export interface KnownScope {
  readonly name: string;
  readonly isSystem: boolean;
}

/** `known` contains at least those requested scopes that exist, or exactly the default scopes if none are requested. */
export function readCustomScopes(asked: RequestedScopes, known: readonly KnownScope[]): ReadUserScopes {
  const read = namedScopes(asked);
  if ('refused' in read && read.refused === 'missingScopes') {
    const scopes = known.map(({ name }) => name);
    return scopes.length === 0 ? { refused: 'noDefaultScopes' } : { scopes };
  }
  if ('refused' in read) return read;
  const names = new Set(known.map(({ name }) => name));
  return read.scopes.every((scope) => names.has(scope)) ? read : { refused: 'invalidScope' };
}
