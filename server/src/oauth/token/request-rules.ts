import { type OAuthErrorCode, type OAuthErrorOptions, oauthDescription } from '../../kernel/errors/oauth-errors.ts';
import { GRANT_TYPES, type GrantType, grantTypeRow, TOKEN_GRANT_TYPES } from '../../kernel/grant-types.ts';
import { type ClientRequest, hasCredentialsInQuery, parameter } from '../client-authentication/credentials-rules.ts';

/** The parameters of token requests, except those of client authentication. */
const BODY_PARAMETERS: ReadonlySet<string> = new Set([
  'grant_type',
  'scope',
  ...Object.values(GRANT_TYPES).flatMap(({ parameters }) => parameters),
]);

const BROWSER_GRANT_TYPES: readonly string[] = TOKEN_GRANT_TYPES.filter((name) => grantTypeRow(name).isForBrowsers);

export interface TokenRequest extends ClientRequest {
  readonly origin: string | undefined;
  readonly dpopProof: string | undefined;
}

export interface RequestRefusal {
  readonly refused: OAuthErrorCode;
  readonly options: OAuthErrorOptions;
}

function refusedCode({ form, origin, rawQuery }: TokenRequest): OAuthErrorCode | null {
  if (hasCredentialsInQuery(rawQuery)) return 'clientCredentialsInQuery';
  // Known parameters must be in the body, because URLs end up in logs. No parameter may be in both the body and the
  // query.
  if (rawQuery.some(([name]) => BODY_PARAMETERS.has(name) || Object.hasOwn(form, name))) {
    return 'invalidRequest';
  }
  const grantType = parameter(form, 'grant_type');
  if (grantType === undefined) return 'missingGrantType';
  return origin !== undefined && !BROWSER_GRANT_TYPES.includes(grantType) ? 'browserGrantType' : null;
}

/** A null `server` means the org's own. */
export function readGrantType(request: TokenRequest, server: object | null): GrantType | RequestRefusal {
  const grantTypes = TOKEN_GRANT_TYPES.filter((name) => server !== null || grantTypeRow(name).servers === 'all');
  const grantType = grantTypes.find((known) => known === parameter(request.form, 'grant_type'));
  const refused = refusedCode(request);
  if (refused === null && grantType !== undefined) return grantType;
  const code = refused ?? 'unsupportedGrantType';
  return { refused: code, options: { description: oauthDescription(code, { grantTypes: grantTypes.join(', ') }) } };
}
