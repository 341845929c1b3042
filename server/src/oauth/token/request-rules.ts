import { type OAuthErrorCode, type OAuthErrorOptions, oauthDescription } from '../../kernel/errors/oauth-errors.ts';
import { type ClientRequest, hasCredentialsInQuery, parameter } from '../client-authentication/credentials-rules.ts';
import { CIBA_GRANT, DEVICE_CODE_GRANT, JWT_BEARER_GRANT, TOKEN_EXCHANGE } from './grants/grant-type-rules.ts';

/** Grants of all authorization servers, in the contract's order. */
export const ORG_GRANT_TYPES = [
  'authorization_code',
  'refresh_token',
  'password',
  'client_credentials',
  DEVICE_CODE_GRANT,
  TOKEN_EXCHANGE,
  CIBA_GRANT,
] as const;
/** Those of custom ones: the contract has no assertions about users at the org's own, whose tokens open the API. */
export const SERVER_GRANT_TYPES = [...ORG_GRANT_TYPES, JWT_BEARER_GRANT] as const;
export type GrantType = (typeof SERVER_GRANT_TYPES)[number];

/** What is granted at a server; null: the org's own. */
export const grantTypesAt = (server: object | null): readonly GrantType[] =>
  server === null ? ORG_GRANT_TYPES : SERVER_GRANT_TYPES;

/** What says what is asked for, and secrets; a stranger's parameter means nothing wherever it stands. */
const BODY_PARAMETERS: ReadonlySet<string> = new Set([
  'grant_type',
  'scope',
  'code',
  'code_verifier',
  'device_code',
  'auth_req_id',
  'refresh_token',
  'username',
  'password',
  'subject_token',
  'subject_token_type',
  'actor_token',
  'actor_token_type',
  'requested_token_type',
  'assertion',
]);

/** What a page in a browser may ask for at all; it has no place to keep a key of its own. */
const BROWSER_GRANT_TYPES: readonly string[] = ['authorization_code', 'refresh_token'] satisfies GrantType[];

/** Null: it is none of them. */
export const grantTypeOf = ({ form }: Pick<TokenRequest, 'form'>): GrantType | null =>
  SERVER_GRANT_TYPES.find((known) => known === parameter(form, 'grant_type')) ?? null;

export interface TokenRequest extends ClientRequest {
  /** Sent by browsers. */
  readonly origin: string | undefined;
  readonly dpopProof: string | undefined;
}

export interface RequestRefusal {
  readonly refused: OAuthErrorCode;
  readonly options: OAuthErrorOptions;
}

function refusedCode(
  { form, origin, rawQuery }: TokenRequest,
  grantTypes: readonly GrantType[],
): OAuthErrorCode | null {
  if (hasCredentialsInQuery(rawQuery)) return 'clientCredentialsInQuery';
  // Parameters of a POST stand in its body alone (RFC 6749 3.2); in addresses they end up in logs.
  if (rawQuery.some(([name]) => BODY_PARAMETERS.has(name) || Object.hasOwn(form, name))) {
    return 'invalidRequest';
  }
  const grantType = parameter(form, 'grant_type');
  if (grantType === undefined) return 'missingGrantType';
  if (origin !== undefined && !BROWSER_GRANT_TYPES.includes(grantType)) return 'browserGrantType';
  return grantTypes.some((known) => known === grantType) ? null : 'unsupportedGrantType';
}

/** What is wrong with a token request at a server before it matters whose it is, or null. `server` null: the org's. */
export function refusalOfRequest(request: TokenRequest, server: object | null): RequestRefusal | null {
  const grantTypes = grantTypesAt(server);
  const refused = refusedCode(request, grantTypes);
  if (refused === null) return null;
  return { refused, options: { description: oauthDescription(refused, { grantTypes: grantTypes.join(', ') }) } };
}
