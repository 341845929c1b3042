import { type OAuthErrorCode, type OAuthErrorOptions, oauthDescription } from '../../kernel/oauth-errors.ts';
import { type ClientRequest, hasCredentialsInQuery, parameter } from '../client-authentication/credentials-rules.ts';

/** Grants of all authorization servers, in the contract's order. */
export const GRANT_TYPES = ['authorization_code', 'refresh_token', 'password', 'client_credentials'] as const;
export type GrantType = (typeof GRANT_TYPES)[number];

/** What says what is asked for, and secrets; a stranger's parameter means nothing wherever it stands. */
const BODY_PARAMETERS: ReadonlySet<string> = new Set([
  'grant_type',
  'scope',
  'code',
  'code_verifier',
  'refresh_token',
  'username',
  'password',
]);

/** What a page in a browser may ask for at all; it has no place to keep a key of its own. */
const BROWSER_GRANT_TYPES: readonly string[] = ['authorization_code', 'refresh_token'] satisfies GrantType[];

/** Null: it is none of them. */
export const grantTypeOf = ({ form }: Pick<TokenRequest, 'form'>): GrantType | null =>
  GRANT_TYPES.find((known) => known === parameter(form, 'grant_type')) ?? null;

export interface TokenRequest extends ClientRequest {
  /** Sent by browsers. */
  readonly origin: string | undefined;
  readonly dpopProof: string | undefined;
}

export interface RequestRefusal {
  readonly refused: OAuthErrorCode;
  readonly options: OAuthErrorOptions;
}

function refusedCode({ form, origin, rawQuery }: TokenRequest): OAuthErrorCode | null {
  if (hasCredentialsInQuery(rawQuery)) return 'clientCredentialsInQuery';
  // Parameters of a POST stand in its body alone (RFC 6749 3.2); in addresses they end up in logs.
  if (rawQuery.some(([name]) => BODY_PARAMETERS.has(name) || Object.hasOwn(form, name))) {
    return 'invalidRequest';
  }
  const grantType = parameter(form, 'grant_type');
  if (grantType === undefined) return 'missingGrantType';
  if (origin !== undefined && !BROWSER_GRANT_TYPES.includes(grantType)) return 'browserGrantType';
  return GRANT_TYPES.some((known) => known === grantType) ? null : 'unsupportedGrantType';
}

/** What is wrong with a token request before it matters whose it is, or null. */
export function refusalOfRequest(request: TokenRequest): RequestRefusal | null {
  const refused = refusedCode(request);
  if (refused === null) return null;
  return { refused, options: { description: oauthDescription(refused, { grantTypes: GRANT_TYPES.join(', ') }) } };
}
