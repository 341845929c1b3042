import { createHash } from 'node:crypto';
import type { Actor, Context } from '../../kernel/context.ts';
import { OAUTH_ERRORS, type OAuthErrorCode } from '../../kernel/errors/oauth-errors.ts';
import type { ClientCredentials } from '../../management/apps/index.ts';
import { authorizationServerTarget } from '../../management/authorization-servers/index.ts';
import type { NewEvent, Target } from '../../system-log/index.ts';
import type { ClientAuthenticationMethod } from '../client-authentication/credentials-rules.ts';
import type { ServerConfiguration } from '../custom-servers/index.ts';

const CLIENT_TYPE = 'PublicClientApp';

export interface EventServer {
  readonly id: string;
  readonly name: string;
}

export const eventServer = (server: ServerConfiguration | null): EventServer | null =>
  server === null ? null : { id: server.facts.id, name: server.facts.name };

export const authenticationOf = (method: ClientAuthenticationMethod): Pick<NewEvent, 'authentication'> =>
  method.endsWith('_jwt') ? { authentication: { credentialType: 'JWT' } } : {};

export const serverTargets = (server: EventServer | null): Target[] =>
  server === null ? [] : [authorizationServerTarget(server)];

export const actorOf = ({ clientId, label }: ClientCredentials): Actor => ({
  id: clientId,
  type: CLIENT_TYPE,
  alternateId: clientId,
  displayName: label,
});

export const targetOf = (client: ClientCredentials): Target => ({ ...actorOf(client) });

export interface Grant {
  readonly jti: string;
  readonly expiresAt: Date;
  readonly requestedScopes: string;
  /** Scopes are spelled as they appear on the wire. */
  readonly scopes: readonly string[];
  readonly tokenType: string;
  readonly authenticatedBy: ClientAuthenticationMethod;
  /** Null means the org's own server. */
  readonly server: EventServer | null;
  readonly debugData: Readonly<Record<string, string>>;
}

/** Returns the event for an access token that a client got for itself. */
export function grantEvent(client: ClientCredentials, grant: Grant): NewEvent {
  const { debugData, expiresAt, jti, authenticatedBy, requestedScopes, scopes, server, tokenType } = grant;
  const token: Target = {
    id: jti,
    type: 'access_token',
    displayName: 'Access Token',
    detailEntry: {
      expires: expiresAt.toISOString(),
      subject: client.clientId,
      hash: createHash('sha256').update(jti).digest('base64url'),
    },
  };
  return {
    eventType: server === null ? 'app.oauth2.token.grant.access_token' : 'app.oauth2.as.token.grant.access_token',
    actor: actorOf(client),
    target: [targetOf(client), token, ...serverTargets(server)],
    ...authenticationOf(authenticatedBy),
    debugData: {
      grantType: 'client_credentials',
      clientAuthType: authenticatedBy,
      requestedScopes,
      grantedScopes: scopes.join(' '),
      tokenType,
      ...debugData,
    },
  };
}

export interface RefusedGrant {
  readonly code: OAuthErrorCode;
  readonly grantType: string;
  readonly user?: Target;
  readonly requestedScopes: string;
  /**
   * Null means that the request was refused before its single-use credentials, if any, were consumed. The event then
   * does not name the client as the actor.
   */
  readonly authenticatedBy: ClientAuthenticationMethod | null;
  readonly server: EventServer | null;
}

export const refusalEvent = (context: Context, client: ClientCredentials, refusal: RefusedGrant): NewEvent => {
  const { code, grantType, authenticatedBy, requestedScopes, server, user } = refusal;
  return {
    // The specification (section 6) has one name for this event at both kinds of server, while the current names
    // distinguish them.
    eventType:
      server !== null && context.eventNames === 'current'
        ? 'app.oauth2.as.token.grant'
        : 'app.oauth2.as.authorize.token.grant_failure',
    outcome: { result: 'FAILURE', reason: OAUTH_ERRORS[code].internalCode },
    ...(authenticatedBy === null ? {} : { actor: actorOf(client), ...authenticationOf(authenticatedBy) }),
    target: [targetOf(client), ...(user === undefined ? [] : [user]), ...serverTargets(server)],
    // A refused request may contain values of any length.
    debugData: { grantType: grantType.slice(0, 100), requestedScopes: requestedScopes.slice(0, 1_024) },
  };
};
