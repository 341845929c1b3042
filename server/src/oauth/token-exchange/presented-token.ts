import type { Context } from '../../kernel/context.ts';
import type { ClientId } from '../../kernel/words/ids.ts';
import type { Db } from '../../platform/postgres/index.ts';
import {
  type AccessTokenClaims,
  type Actor,
  issuedAtOf,
  type Refused,
  readActor,
  type TokenVerifier,
  wireScope,
} from '../access-tokens/index.ts';
import { issuerOf } from '../client-authentication/assertion-rules.ts';
import { parseJws } from '../client-authentication/jws-rules.ts';
import type { ServerConfiguration, ServerConfigurations, ServerTokenVerifier } from '../custom-servers/index.ts';
import { type Authentication, type IdTokenPorts, type VerifiedIdToken, verifyIdToken } from '../user-tokens/index.ts';

export interface ExchangePorts extends IdTokenPorts {
  readonly db: Db;
  readonly verifier: Pick<TokenVerifier, 'verify'>;
  readonly serverVerifier: Pick<ServerTokenVerifier, 'verify'>;
  readonly servers: Pick<ServerConfigurations, 'find'>;
}

export interface PresentedToken {
  /** The id of the server that issued the token; empty for the org's own. */
  readonly serverId: string;
  readonly issuer: string;
  readonly subject: string;
  readonly jti: string;
  readonly clientId: ClientId;
  /** The user whom the token is about. Null means that the client acts for itself. */
  readonly userId: string | null;
  /** Scopes are spelled as they appear on the wire; null for an ID token. */
  readonly scopes: readonly string[] | null;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  /** The thumbprint of the key that the token is bound to. */
  readonly jkt: string | null;
  readonly actor: Actor | null;
  readonly authentication: Authentication;
}

export type Unpresentable = 'EXPIRED' | 'INVALID';

/**
 * Finds the active server that an unverified token names. Returns null for the org's own server, and undefined if
 * there is no such server.
 */
async function serverOf(
  { servers }: ExchangePorts,
  { orgId }: Context,
  token: string,
): Promise<ServerConfiguration | null | undefined> {
  const jws = parseJws(token);
  const issuer = jws === null ? null : issuerOf(jws);
  if (issuer === null || !URL.canParse(issuer)) return undefined;
  const { pathname } = new URL(issuer);
  if (pathname === '/') return null;
  const name = /^\/oauth2\/([0-9A-Za-z]+)$/.exec(pathname)?.[1];
  return (name === undefined ? null : await servers.find(orgId, name)) ?? undefined;
}

/** An access token does not say how its user authenticated. Without `auth_time`, the user was absent. */
const authenticationOf = (claims: AccessTokenClaims): Authentication => ({
  authTime: claims.user?.authTime ?? null,
  amr: [],
  sessionExternalId: null,
  details: {},
});

function ofAccessToken(
  claims: AccessTokenClaims,
  serverId: string,
  scopes: readonly string[],
): PresentedToken | Unpresentable {
  const { actor = null, clientId, confirmation, expiresAt, issuer, jti, subject, user } = claims;
  const issuedAt = issuedAtOf(jti);
  if (issuedAt === null) return 'INVALID';
  const authentication = authenticationOf(claims);
  const jkt = confirmation?.jkt ?? null;
  const userId = user?.id ?? null;
  return { serverId, issuer, subject, jti, clientId, userId, scopes, issuedAt, expiresAt, jkt, actor, authentication };
}

const refusalOf = ({ refused }: Refused): Unpresentable => (refused === 'TIME' ? 'EXPIRED' : 'INVALID');

/** Reads an access token of one of the org's servers, issued to any client. */
export async function readAccessToken(
  ports: ExchangePorts,
  context: Context,
  token: string,
): Promise<PresentedToken | Unpresentable> {
  const { namespace, now, orgId } = context;
  const server = await serverOf(ports, context, token);
  if (server === undefined) return 'INVALID';
  if (server === null) {
    const verified = await ports.verifier.verify(orgId, token, now);
    if ('refused' in verified) return refusalOf(verified);
    const scopes = verified.scopes.map((scope) => wireScope(scope, namespace));
    return ofAccessToken(verified, '', scopes);
  }
  const verified = await ports.serverVerifier.verify(orgId, server, token, now);
  return 'refused' in verified ? refusalOf(verified) : ofAccessToken(verified, server.facts.id, verified.scopes);
}

const isText = (value: unknown): value is string => typeof value === 'string';

function authenticationIn({ claims }: VerifiedIdToken): Authentication {
  const { acr, amr, auth_time: authTime, idp, sid } = claims;
  return {
    authTime: typeof authTime === 'number' ? new Date(authTime * 1_000) : null,
    amr: Array.isArray(amr) ? amr.filter(isText) : [],
    sessionExternalId: isText(sid) ? sid : null,
    details: { ...(isText(acr) ? { acr } : {}), ...(isText(idp) ? { idp } : {}) },
  };
}

/** Reads an ID token that one of the org's servers issued to this client. */
export async function readIdToken(
  ports: ExchangePorts,
  context: Context,
  clientId: ClientId,
  token: string,
): Promise<PresentedToken | Unpresentable> {
  const server = await serverOf(ports, context, token);
  if (server === undefined) return 'INVALID';
  const verified = await verifyIdToken(ports, context, { clientId, server, token });
  if (typeof verified === 'string') return verified;
  const { claims, expiresAt, issuedAt, issuer, jti, userId } = verified;
  return {
    serverId: server?.facts.id ?? '',
    issuer,
    subject: userId,
    jti,
    clientId,
    userId,
    scopes: null,
    issuedAt,
    expiresAt,
    jkt: null,
    actor: readActor(claims['act']) ?? null,
    authentication: authenticationIn(verified),
  };
}
