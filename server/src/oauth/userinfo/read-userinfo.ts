import type { Context } from '../../kernel/context.ts';
import {
  type OAuthError,
  type OAuthErrorCode,
  oauthDescription,
  oauthError,
} from '../../kernel/errors/oauth-errors.ts';
import type { ClientId } from '../../kernel/words/ids.ts';
import { findAppUserFacts } from '../../management/app-assignments/index.ts';
import type { Db, FindById } from '../../platform/postgres/index.ts';
import type { TokenVerifier } from '../access-tokens/index.ts';
import {
  asksGroups,
  identityClaims,
  type ServerConfiguration,
  type ServerTokenVerifier,
  type VerifiedServerToken,
} from '../custom-servers/index.ts';
import { isProvenByKey } from '../dpop/proven-token.ts';
import { findTokenGroups, orgIdentity, type TokenUser } from '../user-tokens/index.ts';
import { type PresentedAccessToken, type ResourceRequest, readAccessToken } from './presented-access-token.ts';

export interface UserInfoPorts {
  readonly db: Db;
  readonly verifier: Pick<TokenVerifier, 'verify'>;
  readonly serverVerifier: Pick<ServerTokenVerifier, 'verify'>;
  readonly findTokenUser: FindById<TokenUser>;
}

export interface UserInfoRequest extends ResourceRequest {
  readonly method: string;
  /** Null means the org's own server. */
  readonly server: ServerConfiguration | null;
}

/** A client that sent no credential gets only the scheme in the challenge, without an error code (RFC 6750 3). */
function challenged(code: OAuthErrorCode, scheme: 'Bearer' | 'DPoP' = 'Bearer'): OAuthError {
  const facts: Partial<Record<OAuthErrorCode, string>> = {
    accessTokenInvalid: 'error="invalid_token"',
    accessTokenInQuery: 'error="invalid_request"',
    accessTokenTwice: 'error="invalid_request"',
    insufficientScope: 'error="insufficient_scope", scope="openid"',
  };
  const told = facts[code];
  const description = `error_description="${oauthDescription(code, {})}"`;
  return oauthError(code, {
    headers: { 'www-authenticate': told === undefined ? scheme : `${scheme} ${told}, ${description}` },
  });
}

/**
 * A token that is bound to a key must be sent as `DPoP`, with a proof made with the key. Any other token must be sent
 * as `Bearer`.
 */
async function holds(
  { db }: UserInfoPorts,
  context: Context,
  request: UserInfoRequest,
  { scheme, token }: PresentedAccessToken,
  verified: { readonly clientId: ClientId; readonly confirmation?: { readonly jkt: string } },
): Promise<boolean> {
  if (scheme === 'Bearer') return verified.confirmation === undefined;
  const { baseUrl, now, orgId, requestUri } = context;
  const { dpopProof, method } = request;
  const proof = { token, dpopProof, method, uri: `${baseUrl}${requestUri ?? ''}` };
  return isProvenByKey(db, orgId, verified, proof, now);
}

async function claimsOfServer(
  { db }: UserInfoPorts,
  context: Context,
  server: ServerConfiguration,
  user: TokenUser,
  { appId, applicationType, clientId, label, scopes }: VerifiedServerToken,
): Promise<Readonly<Record<string, unknown>>> {
  const { namespace, now, orgId } = context;
  const [groups, appUser] = await Promise.all([
    asksGroups(server) ? findTokenGroups(db, orgId, user.id, namespace.upper) : [],
    findAppUserFacts(db, context, appId, user.id, { withProfile: true }),
  ]);
  const subject = { user, name: user.id, appUser, groups, session: { id: null, amr: [] } };
  const told = identityClaims(server.claims, { appId, clientId, label, applicationType, scopes, now, subject }, true);
  if (!('refused' in told)) return told.claims;
  throw oauthError(told.refused, { description: oauthDescription(told.refused, { claim: told.claim }) });
}

/** Returns the claims about the user for whom this server issued the token (OpenID Connect Core 5.3). */
export async function readUserInfo(
  ports: UserInfoPorts,
  context: Context,
  request: UserInfoRequest,
): Promise<Readonly<Record<string, unknown>>> {
  const presented = readAccessToken(request);
  if (typeof presented === 'string') throw challenged(presented);
  const { scheme, token } = presented;
  const { namespace, now, orgId } = context;
  const { server } = request;
  const verified =
    server === null
      ? await ports.verifier.verify(orgId, token, now)
      : await ports.serverVerifier.verify(orgId, server, token, now);
  if ('refused' in verified) throw challenged('accessTokenInvalid', scheme);
  if (!(await holds(ports, context, request, presented, verified))) throw challenged('accessTokenInvalid', scheme);
  if (verified.user === null || !verified.scopes.includes('openid')) throw challenged('insufficientScope', scheme);
  const user = await ports.findTokenUser(orgId, verified.user.id);
  if (user === undefined) throw challenged('accessTokenInvalid', scheme);
  if (server !== null && 'audience' in verified) {
    return { ...(await claimsOfServer(ports, context, server, user, verified)), sub: user.id };
  }
  const withGroups = verified.scopes.includes('groups');
  const groups = withGroups ? await findTokenGroups(ports.db, orgId, user.id, namespace.upper) : [];
  return { sub: user.id, ...orgIdentity(verified.scopes, user, groups) };
}
