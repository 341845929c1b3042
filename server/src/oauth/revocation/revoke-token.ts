import type { Actor, Context } from '../../kernel/context.ts';
import type { ClientId } from '../../kernel/words/ids.ts';
import { authorizationServerTarget } from '../../management/authorization-servers/index.ts';
import { hashSecret } from '../../platform/crypto/index.ts';
import type { Foundation, NewEvent, Target, Work } from '../../system-log/index.ts';
import type { AccessTokenClaims, Refused, TokenVerifier } from '../access-tokens/index.ts';
import type { ServerConfiguration, ServerTokenVerifier } from '../custom-servers/index.ts';
import {
  findRefreshToken,
  type RefreshTokenTexts,
  removeExchanged,
  removeRefreshToken,
} from '../refresh-tokens/index.ts';
import { insertRevokedToken } from './store.ts';

export interface RevocationPorts extends Pick<Foundation, 'db' | 'work'> {
  readonly verifier: Pick<TokenVerifier, 'read'>;
  readonly serverVerifier: Pick<ServerTokenVerifier, 'read'>;
  readonly refreshTexts: Pick<RefreshTokenTexts, 'read'>;
}

export interface RevokingClient {
  readonly clientId: ClientId;
  readonly label: string;
}

/**
 * A revocation is kept this long after the token's expiry, because a node whose clock is behind may still accept the
 * token.
 */
const MARGIN_MILLISECONDS = 5 * 60_000;

const actorOf = ({ clientId, label }: RevokingClient): Actor => ({
  id: clientId,
  type: 'PublicClientApp',
  alternateId: clientId,
  displayName: label,
});

const refreshTokenTarget = (id: string): Target => ({ id, type: 'refresh_token', displayName: 'Refresh Token' });

function revokedEvent(
  revoking: RevokingClient,
  { expiresAt, jti, subject }: AccessTokenClaims,
  server: ServerConfiguration | null,
): NewEvent {
  const client = actorOf(revoking);
  const token = {
    id: jti,
    type: 'access_token',
    displayName: 'Access Token',
    detailEntry: { expires: expiresAt.toISOString(), subject, hash: hashSecret(jti).toString('base64url') },
  };
  const target = [{ ...client }, token];
  return toldAt(server, client, target);
}

function toldAt(server: ServerConfiguration | null, actor: Actor, target: readonly Target[]): NewEvent {
  if (server === null) return { eventType: 'app.oauth2.token.revoke', actor, target: [...target] };
  const issuer = authorizationServerTarget(server.facts);
  return { eventType: 'app.oauth2.as.token.revoke', actor, target: [...target, issuer] };
}

/** Revokes an access token of the client. Does nothing for any other token. */
async function voidToken(
  work: Work,
  context: Context,
  client: RevokingClient,
  claims: AccessTokenClaims | Refused,
  server: ServerConfiguration | null,
): Promise<void> {
  if ('refused' in claims || claims.clientId !== client.clientId) return;
  const revoked = {
    jtiHash: hashSecret(claims.jti),
    expiresAt: new Date(claims.expiresAt.getTime() + MARGIN_MILLISECONDS),
  };
  await work(context, async (tx, record) => {
    if (!(await insertRevokedToken(tx, context.orgId, revoked))) return;
    record(revokedEvent(client, claims, server));
    // Clients may have exchanged the token for refresh tokens, which would otherwise survive it.
    for (const id of await removeExchanged(tx, context.orgId, revoked.jtiHash)) {
      record(toldAt(server, actorOf(client), [{ ...actorOf(client) }, refreshTokenTarget(id)]));
    }
  });
}

/** Returns false if `text` is not a refresh token of the org. */
async function endRefreshToken(
  { db, refreshTexts, work }: RevocationPorts,
  context: Context,
  server: ServerConfiguration | null,
  { clientId, label }: RevokingClient,
  text: string,
): Promise<boolean> {
  const { orgId } = context;
  const presented = refreshTexts.read(orgId, text);
  if (presented === null) return false;
  const token = await findRefreshToken(db, orgId, presented.id);
  if (token === undefined || token.clientId !== clientId || token.serverId !== (server?.facts.id ?? '')) return true;
  const client = actorOf({ clientId, label });
  await work(context, async (tx, record) => {
    if (!(await removeRefreshToken(tx, orgId, token.id))) return;
    record(toldAt(server, client, [{ ...client }, refreshTokenTarget(token.id)]));
  });
  return true;
}

/**
 * Revokes a token that the server issued to the client (RFC 7009). Checks the token with `read` instead of `verify`,
 * because a token that has lost its scopes may get them back later.
 */
export async function revokeToken(
  ports: RevocationPorts,
  context: Context,
  server: ServerConfiguration | null,
  client: RevokingClient,
  token: string,
): Promise<void> {
  if (await endRefreshToken(ports, context, server, client, token)) return;
  const { now, orgId } = context;
  const claims =
    server === null
      ? await ports.verifier.read(orgId, token, now)
      : await ports.serverVerifier.read(orgId, server, token, now);
  await voidToken(ports.work, context, client, claims, server);
}
