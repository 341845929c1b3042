import { type OAuthErrorCode, type OAuthErrorOptions, oauthDescription } from '../../kernel/errors/oauth-errors.ts';
import { GRANT_TYPES, type GrantType, grantTypeRow, TOKEN_GRANT_TYPES } from '../../kernel/grant-types.ts';
import { type ClientRequest, hasCredentialsInQuery, parameter } from '../client-authentication/credentials-rules.ts';

/** Grant types of the token endpoint of a server. `server` null: the org's own. */
const grantTypesAt = (server: object | null): readonly string[] =>
  TOKEN_GRANT_TYPES.filter((name) => server !== null || grantTypeRow(name).servers === 'all');

/** Every parameter that holds what is asked for, or a secret; an unknown parameter means nothing wherever it stands. */
const BODY_PARAMETERS: ReadonlySet<string> = new Set([
  'grant_type',
  'scope',
  ...Object.values(GRANT_TYPES).flatMap(({ parameters }) => parameters),
]);

const BROWSER_GRANT_TYPES: readonly string[] = TOKEN_GRANT_TYPES.filter((name) => grantTypeRow(name).isForBrowsers);

/** Null: it is none of them. */
export const grantTypeOf = ({ form }: Pick<TokenRequest, 'form'>): GrantType | null =>
  TOKEN_GRANT_TYPES.find((known) => known === parameter(form, 'grant_type')) ?? null;

export interface TokenRequest extends ClientRequest {
  /** Sent by browsers. */
  readonly origin: string | undefined;
  readonly dpopProof: string | undefined;
}

export interface RequestRefusal {
  readonly refused: OAuthErrorCode;
  readonly options: OAuthErrorOptions;
}

function refusedCode({ form, origin, rawQuery }: TokenRequest, grantTypes: readonly string[]): OAuthErrorCode | null {
  if (hasCredentialsInQuery(rawQuery)) return 'clientCredentialsInQuery';
  // Parameters of a POST stand in its body alone (RFC 6749 3.2); in addresses they end up in logs.
  if (rawQuery.some(([name]) => BODY_PARAMETERS.has(name) || Object.hasOwn(form, name))) {
    return 'invalidRequest';
  }
  const grantType = parameter(form, 'grant_type');
  if (grantType === undefined) return 'missingGrantType';
  if (origin !== undefined && !BROWSER_GRANT_TYPES.includes(grantType)) return 'browserGrantType';
  return grantTypes.includes(grantType) ? null : 'unsupportedGrantType';
}

/** What is wrong with a token request at a server before it matters whose it is, or null. `server` null: the org's. */
export function refusalOfRequest(request: TokenRequest, server: object | null): RequestRefusal | null {
  const grantTypes = grantTypesAt(server);
  const refused = refusedCode(request, grantTypes);
  if (refused === null) return null;
  return { refused, options: { description: oauthDescription(refused, { grantTypes: grantTypes.join(', ') }) } };
}
