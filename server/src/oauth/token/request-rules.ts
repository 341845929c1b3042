import { type OAuthErrorCode, type OAuthErrorOptions, oauthDescription } from '../../kernel/oauth-errors.ts';
import { type ClientRequest, hasCredentialsInQuery, parameter } from '../client-authentication/credentials-rules.ts';

/** Grants of the org's authorization server. */
const GRANT_TYPES = ['client_credentials'] as const;
/** What a page in a browser may ask for at all; it has no place to keep a key of its own. */
const BROWSER_GRANT_TYPE = 'authorization_code';

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
  if (rawQuery.some(([name]) => name === 'grant_type' || name === 'scope' || Object.hasOwn(form, name))) {
    return 'invalidRequest';
  }
  const grantType = parameter(form, 'grant_type');
  if (grantType === undefined) return 'missingGrantType';
  if (origin !== undefined && grantType !== BROWSER_GRANT_TYPE) return 'browserGrantType';
  return GRANT_TYPES.some((known) => known === grantType) ? null : 'unsupportedGrantType';
}

/** What is wrong with a token request before it matters whose it is, or null. */
export function refusalOfRequest(request: TokenRequest): RequestRefusal | null {
  const refused = refusedCode(request);
  if (refused === null) return null;
  return { refused, options: { description: oauthDescription(refused, { grantTypes: GRANT_TYPES.join(', ') }) } };
}
