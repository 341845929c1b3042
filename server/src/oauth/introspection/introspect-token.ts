import type { Context } from '../../kernel/context.ts';
import type { ClientId } from '../../kernel/words/ids.ts';
import { findPresence } from '../../management/apps/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import {
  type AccessTokenClaims,
  type LiveUser,
  readActor,
  type TokenVerifier,
  wireScope,
} from '../access-tokens/index.ts';
import type { ServerConfiguration, ServerTokenVerifier } from '../custom-servers/index.ts';
import {
  findLiveRefreshToken,
  isOver,
  type RefreshTokenTexts,
  type StoredRefreshToken,
} from '../refresh-tokens/index.ts';
import type { IdTokenPorts } from '../user-tokens/index.ts';
import { readIdToken } from './read-id-token.ts';

export interface IntrospectionPorts extends IdTokenPorts {
  readonly db: Db;
  readonly verifier: Pick<TokenVerifier, 'verify'>;
  readonly serverVerifier: Pick<ServerTokenVerifier, 'verify'>;
  readonly refreshTexts: Pick<RefreshTokenTexts, 'read'>;
}

export interface Introspected {
  readonly clientId: ClientId;
  /** Null means the org's own server. */
  readonly server: ServerConfiguration | null;
  readonly token: string;
}

type Told = Readonly<Record<string, unknown>>;

const seconds = (date: Date): number => Math.floor(date.getTime() / 1_000);

const INACTIVE = { active: false };

/** Lists the members in the order of contract section 7. */
function wireAccessToken(
  token: AccessTokenClaims & { readonly bearer: LiveUser | null },
  scopes: readonly string[],
  audience: string,
): Told {
  const { actor, bearer, clientId, confirmation, expiresAt, issuedAt, issuer, jti, subject, user } = token;
  return {
    active: true,
    scope: scopes.join(' '),
    ...(bearer === null ? {} : { username: bearer.login }),
    exp: seconds(expiresAt),
    iat: seconds(issuedAt),
    sub: subject,
    aud: audience,
    iss: issuer,
    jti,
    token_type: confirmation === undefined ? 'Bearer' : 'DPoP',
    client_id: clientId,
    ...(user === null ? {} : { uid: user.id }),
    ...(confirmation === undefined ? {} : { cnf: confirmation }),
    ...(actor === undefined ? {} : { act: actor }),
  };
}

async function accessToken(ports: IntrospectionPorts, context: Context, asked: Introspected): Promise<Told | null> {
  const { namespace, now, orgId } = context;
  const { clientId, server, token } = asked;
  if (server === null) {
    const verified = await ports.verifier.verify(orgId, token, now, 'introspectClientToken');
    if ('refused' in verified || verified.clientId !== clientId) return null;
    const scopes = verified.scopes.map((scope) => wireScope(scope, namespace));
    return wireAccessToken(verified, scopes, verified.issuer);
  }
  const verified = await ports.serverVerifier.verify(orgId, server, token, now);
  if ('refused' in verified || verified.clientId !== clientId) return null;
  return wireAccessToken(verified, verified.scopes, verified.audience);
}

/** Keeps the scopes that a custom server has had ever since the token was issued. */
const liveScopes = (token: StoredRefreshToken, server: ServerConfiguration | null): readonly string[] =>
  server === null
    ? token.scopes
    : token.scopes.filter((name) =>
        server.scopes.some((scope) => scope.name === name && token.issuedAt > scope.validAfter),
      );

/** Returns whether the token is about an absent user for whom the client may no longer get tokens. */
const isUnapproved = async ({ db }: IntrospectionPorts, { orgId }: Context, token: StoredRefreshToken) =>
  token.authTime === null && (await findPresence(db, orgId, token.clientId, token.userId)) === 'UNAPPROVED';

/** A replaced token is inactive, even during the leeway in which the token endpoint still accepts it. */
async function refreshToken(ports: IntrospectionPorts, context: Context, asked: Introspected): Promise<Told | null> {
  const { now, orgId } = context;
  const presented = ports.refreshTexts.read(orgId, asked.token);
  const token = presented === null ? undefined : await findLiveRefreshToken(ports.db, orgId, presented.id);
  if (token === undefined || isOver(token, now) || token.generation !== presented?.generation) return null;
  if (token.clientId !== asked.clientId || token.serverId !== (asked.server?.facts.id ?? '')) return null;
  if (await isUnapproved(ports, context, token)) return null;
  const actor = readActor(token.details['act']) ?? null;
  const scopes = liveScopes(token, asked.server);
  if (scopes.length === 0) return null;
  return {
    active: true,
    scope: scopes.join(' '),
    username: token.login,
    exp: seconds(token.idleExpiresAt),
    sub: token.login,
    token_type: 'Bearer',
    client_id: token.clientId,
    ...(actor === null ? {} : { act: actor }),
  };
}

/** Reports a valid token to its client (RFC 7662). For everything else, reports only that it is not active. */
export async function introspectToken(ports: IntrospectionPorts, context: Context, asked: Introspected): Promise<Told> {
  return (
    (await refreshToken(ports, context, asked)) ??
    (await accessToken(ports, context, asked)) ??
    (await readIdToken(ports, context, asked)) ??
    INACTIVE
  );
}
