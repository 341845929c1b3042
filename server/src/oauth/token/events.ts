import { createHash } from 'node:crypto';
import type { Actor, Context } from '../../kernel/context.ts';
import { OAUTH_ERRORS, type OAuthErrorCode } from '../../kernel/oauth-errors.ts';
import type { ClientCredentials } from '../../management/apps/index.ts';
import type { NewEvent, Target } from '../../system-log/index.ts';

const CLIENT_TYPE = 'PublicClientApp';

/** Tokens are given for nothing else (RFC 7523 2.2). */
const PROVEN_BY_ASSERTION: NonNullable<NewEvent['authentication']> = { credentialType: 'JWT' };

const actorOf = ({ clientId, label }: ClientCredentials): Actor => ({
  id: clientId,
  type: CLIENT_TYPE,
  alternateId: clientId,
  displayName: label,
});

const targetOf = (client: ClientCredentials): Target => ({ ...actorOf(client) });

const wireScopes = (scopes: readonly string[], { namespace }: Context): string =>
  scopes.map((scope) => `${namespace.word}.${scope}`).join(' ');

export interface Grant {
  readonly jti: string;
  readonly expiresAt: Date;
  /** As asked for. */
  readonly requestedScopes: string;
  /** Neutral. */
  readonly scopes: readonly string[];
  readonly tokenType: string;
}

/** The client was given a token. The token itself is in no event; its hash finds it in what revocation keeps. */
export function grantEvent(context: Context, client: ClientCredentials, grant: Grant): NewEvent {
  const grantedScopes = wireScopes(grant.scopes, context);
  const token: Target = {
    id: grant.jti,
    type: 'access_token',
    displayName: 'Access Token',
    detailEntry: {
      expires: grant.expiresAt.toISOString(),
      subject: client.clientId,
      hash: createHash('sha256').update(grant.jti).digest('base64url'),
    },
  };
  return {
    eventType: 'app.oauth2.token.grant.access_token',
    actor: actorOf(client),
    target: [targetOf(client), token],
    authentication: PROVEN_BY_ASSERTION,
    debugData: {
      grantType: 'client_credentials',
      clientAuthType: 'private_key_jwt',
      requestedScopes: grant.requestedScopes,
      grantedScopes,
      tokenType: grant.tokenType,
    },
  };
}

/** The client was refused one. `isProven`: it was the client that asked, and not somebody who knows its id. */
export const refusalEvent = (
  client: ClientCredentials,
  refused: OAuthErrorCode,
  requestedScopes: string,
  isProven: boolean,
): NewEvent => ({
  eventType: 'app.oauth2.as.authorize.token.grant_failure',
  outcome: { result: 'FAILURE', reason: OAUTH_ERRORS[refused].internalCode },
  ...(isProven ? { actor: actorOf(client), authentication: PROVEN_BY_ASSERTION } : {}),
  target: [targetOf(client)],
  // Longer ones are refused, and none of our scopes is that long.
  debugData: { grantType: 'client_credentials', requestedScopes: requestedScopes.slice(0, 1_024) },
});
