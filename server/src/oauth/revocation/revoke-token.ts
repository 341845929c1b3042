import type { Actor, Context } from '../../kernel/context.ts';
import { authorizationServerTarget } from '../../management/authorization-servers/index.ts';
import { hashSecret } from '../../platform/crypto/index.ts';
import type { NewEvent, Work } from '../../system-log/index.ts';
import type { AccessTokenClaims, Refused, TokenVerifier } from '../access-tokens/index.ts';
import type { ServerConfiguration, ServerTokenVerifier } from '../custom-servers/index.ts';
import { insertRevokedToken } from './store.ts';

export interface RevocationPorts {
  readonly work: Work;
  readonly verifier: Pick<TokenVerifier, 'read'>;
}

export interface ServerRevocationPorts {
  readonly work: Work;
  readonly serverVerifier: Pick<ServerTokenVerifier, 'read'>;
}

/** The client that asks for it, as it was authenticated. */
export interface RevokingClient {
  readonly clientId: string;
  readonly label: string;
}

/** A node whose clock is behind takes the token for good a little longer. */
const MARGIN_MILLISECONDS = 5 * 60_000;

function revokedEvent(
  { clientId, label }: RevokingClient,
  { expiresAt, jti, subject }: AccessTokenClaims,
  server: ServerConfiguration | null,
): NewEvent {
  const client: Actor = { id: clientId, type: 'PublicClientApp', alternateId: clientId, displayName: label };
  const token = {
    id: jti,
    type: 'access_token',
    displayName: 'Access Token',
    detailEntry: { expires: expiresAt.toISOString(), subject, hash: hashSecret(jti).toString('base64url') },
  };
  const target = [{ ...client }, token];
  if (server === null) return { eventType: 'app.oauth2.token.revoke', actor: client, target };
  const issuer = authorizationServerTarget(server.facts);
  return { eventType: 'app.oauth2.as.token.revoke', actor: client, target: [...target, issuer] };
}

/** Voids a token of the client until its time is over; nothing where it is another's, or no token at all. */
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
    if (await insertRevokedToken(tx, context.orgId, revoked)) record(revokedEvent(client, claims, server));
  });
}

/**
 * Voids a token of the client until its time is over (RFC 7009). Anything else changes nothing and is no error: an
 * unknown token, one whose time is over, one of another client, one that was revoked before. What a token still opens
 * does not matter: a scope that is granted anew must not bring a revoked one back.
 */
export async function revokeToken(
  { verifier, work }: RevocationPorts,
  context: Context,
  client: RevokingClient,
  token: string,
): Promise<void> {
  const claims = await verifier.read(context.orgId, token, context.now);
  await voidToken(work, context, client, claims, null);
}

/** The same of a token of a custom server, at that server. */
export async function revokeServerToken(
  { serverVerifier, work }: ServerRevocationPorts,
  context: Context,
  server: ServerConfiguration,
  client: RevokingClient,
  token: string,
): Promise<void> {
  const claims = await serverVerifier.read(context.orgId, server, token, context.now);
  await voidToken(work, context, client, claims, server);
}
