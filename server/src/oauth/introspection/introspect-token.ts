import type { Context } from '../../kernel/context.ts';
import type { TokenVerifier, VerifiedToken } from '../access-tokens/index.ts';

const seconds = (date: Date): number => Math.floor(date.getTime() / 1_000);

/** Members in the contract's order (section 7); a client's own token has neither `username` nor `uid`. */
function wireToken(token: VerifiedToken, { namespace }: Context): Record<string, unknown> {
  const { clientId, confirmation, expiresAt, issuedAt, issuer, jti, scopes, subject } = token;
  return {
    active: true,
    scope: scopes.map((scope) => `${namespace.word}.${scope}`).join(' '),
    exp: seconds(expiresAt),
    iat: seconds(issuedAt),
    sub: subject,
    aud: issuer,
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
  context: Context,
  clientId: string,
  token: string,
): Promise<Record<string, unknown>> {
  const verified = await verifier.verify(context.orgId, token, context.now, 'introspectClientToken');
  const isOwn = !('refused' in verified) && verified.clientId === clientId;
  return isOwn ? wireToken(verified, context) : { active: false };
}
