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

/** A null `server` means the org's own. */
export const eventServer = (server: ServerConfiguration | null): EventServer | null =>
  server === null ? null : { id: server.facts.id, name: server.facts.name };

/** Returns how the client was authenticated. Events have a word only for a signed assertion. */
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
  /** The `scope` parameter of the request. */
  readonly requestedScopes: string;
  /** Scopes are spelled as on the wire. */
  readonly scopes: readonly string[];
  readonly tokenType: string;
  readonly authenticatedBy: ClientAuthenticationMethod;
  /** Null means the org's own server. */
  readonly server: EventServer | null;
  readonly debugData: Readonly<Record<string, string>>;
}

/** No event contains the token. The hash of the token's id matches the record of a revoked token. */
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
  /** The user of the refused tokens, if known. */
  readonly user?: Target;
  readonly requestedScopes: string;
  /** Null means that the sender is not authenticated and may be anybody who knows the client's id. */
  readonly authenticatedBy: ClientAuthenticationMethod | null;
  readonly server: EventServer | null;
}

export const refusalEvent = (context: Context, client: ClientCredentials, refusal: RefusedGrant): NewEvent => {
  const { code, grantType, authenticatedBy, requestedScopes, server, user } = refusal;
  return {
    // The specification (section 6) has one name for both kinds of server. The current name of an event of a custom
    // server is chosen here, and that of other events when they are recorded.
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
