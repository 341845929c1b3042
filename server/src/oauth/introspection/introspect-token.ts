import type { Context } from '../../kernel/context.ts';
import type { AccessTokenClaims, TokenVerifier } from '../access-tokens/index.ts';
import type { ServerConfiguration, ServerTokenVerifier } from '../custom-servers/index.ts';

const seconds = (date: Date): number => Math.floor(date.getTime() / 1_000);

const INACTIVE = { active: false };

/** Members in the contract's order (section 7); a client's own token has neither `username` nor `uid`. */
function wireToken(token: AccessTokenClaims, scopes: readonly string[], audience: string): Record<string, unknown> {
  const { clientId, confirmation, expiresAt, issuedAt, issuer, jti, subject } = token;
  return {
    active: true,
    scope: scopes.join(' '),
    exp: seconds(expiresAt),
    iat: seconds(issuedAt),
    sub: subject,
    aud: audience,
    iss: issuer,
    jti,
    token_type: confirmation === undefined ? 'Bearer' : 'DPoP',
    client_id: clientId,
    ...(confirmation === undefined ? {} : { cnf: confirmation }),
  };
}

/**
 * What a client may know of a token (RFC 7662). One that is no token, not a client's own, over or revoked is inactive
 * without a difference: else the endpoint would tell whose tokens there are (RFC 7662 4).
 */
export async function introspectToken(
  verifier: Pick<TokenVerifier, 'verify'>,
  { namespace, now, orgId }: Context,
  clientId: string,
  token: string,
): Promise<Record<string, unknown>> {
  const verified = await verifier.verify(orgId, token, now, 'introspectClientToken');
  if ('refused' in verified || verified.clientId !== clientId) return INACTIVE;
  const scopes = verified.scopes.map((scope) => `${namespace.word}.${scope}`);
  return wireToken(verified, scopes, verified.issuer);
}

/** The same of a token of a custom server; one of any other server is inactive. */
export async function introspectServerToken(
  verifier: Pick<ServerTokenVerifier, 'verify'>,
  { now, orgId }: Context,
  server: ServerConfiguration,
  clientId: string,
  token: string,
): Promise<Record<string, unknown>> {
  const verified = await verifier.verify(orgId, server, token, now);
  if ('refused' in verified || verified.clientId !== clientId) return INACTIVE;
  return wireToken(verified, verified.scopes, verified.audience);
}
