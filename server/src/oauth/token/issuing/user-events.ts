import { createHash } from 'node:crypto';
import type { ClientCredentials } from '../../../management/apps/index.ts';
import { namedUserTarget } from '../../../management/users/index.ts';
import type { NewEvent, Target } from '../../../system-log/index.ts';
import type { ClientAuthenticationMethod } from '../../client-authentication/credentials-rules.ts';
import type { ServerConfiguration } from '../../custom-servers/index.ts';
import type { UserTokenDecision } from '../../user-tokens/index.ts';
import { actorOf, authenticationOf, eventServer, serverTargets, targetOf } from '../events.ts';
import type { IssuedRefreshToken } from '../grants/user-grant.ts';

/** Null means the org's own server. */
export type Server = ServerConfiguration | null;

const AT_ORG = {
  access: 'app.oauth2.token.grant.access_token',
  id: 'app.oauth2.token.grant.id_token',
  refresh: 'app.oauth2.token.grant.refresh_token',
} as const;

const AT_SERVER = {
  access: 'app.oauth2.as.token.grant.access_token',
  id: 'app.oauth2.as.token.grant.id_token',
  refresh: 'app.oauth2.as.token.grant.refresh_token',
} as const;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

export interface UserGrantFacts {
  readonly decision: UserTokenDecision;
  readonly server: Server;
  readonly authenticatedBy: ClientAuthenticationMethod;
  readonly grantType: string;
  readonly requestedScopes: string;
  readonly tokenType: string;
  readonly sessionExternalId: string | null;
  readonly access: { readonly jti: string; readonly expiresAt: Date };
  readonly id: { readonly jti: string; readonly expiresAt: Date } | null;
  readonly refresh: IssuedRefreshToken | null;
}

export const tokenUserTarget = ({ id, login, profile }: UserTokenDecision['user']): Target =>
  namedUserTarget({ id, login, profile: { ...profile, login } });

const tokenTarget = (type: string, displayName: string, id: string, expires: Date, subject: string): Target => ({
  id,
  type,
  displayName,
  detailEntry: { expires: expires.toISOString(), subject, hash: hashOf(id) },
});

/** Returns the events for the tokens that were issued. No event contains a token. */
export function userGrantEvents(client: ClientCredentials, facts: UserGrantFacts): readonly NewEvent[] {
  const { access, decision, id, authenticatedBy, refresh, server } = facts;
  const { sessionExternalId, ...told } = facts;
  const { user } = decision;
  const eventTypes = server === null ? AT_ORG : AT_SERVER;
  const session = sessionExternalId === null ? {} : { externalSessionId: sessionExternalId };
  const common = {
    actor: actorOf(client),
    authentication: { ...authenticationOf(authenticatedBy).authentication, ...session },
    debugData: {
      grantType: told.grantType,
      clientAuthType: authenticatedBy,
      requestedScopes: told.requestedScopes.slice(0, 1_024),
      grantedScopes: decision.scopes.join(' '),
      tokenType: told.tokenType,
      ...decision.debugData,
    },
  };
  const app = targetOf(client);
  const person = tokenUserTarget(user);
  const servers = serverTargets(eventServer(server));
  const targets = (token: Target): Target[] => [app, token, person, ...servers];
  const accessTarget = tokenTarget('access_token', 'Access Token', access.jti, access.expiresAt, decision.subject);
  const events: NewEvent[] = [{ ...common, eventType: eventTypes.access, target: targets(accessTarget) }];
  if (id !== null) {
    const target = targets(tokenTarget('id_token', 'ID Token', id.jti, id.expiresAt, user.id));
    events.push({ ...common, eventType: eventTypes.id, target });
  }
  if (refresh?.isNew === true) {
    const target = targets(tokenTarget('refresh_token', 'Refresh Token', refresh.id, refresh.expiresAt, user.id));
    events.push({ ...common, eventType: eventTypes.refresh, target });
  }
  return events;
}

const bareUser = (id: string): Target => ({ id, type: 'User', alternateId: 'unknown', displayName: 'unknown' });

export const reuseEvent = (
  client: ClientCredentials,
  server: Server,
  { id, userId }: { readonly id: string; readonly userId: string },
): NewEvent => ({
  eventType: server === null ? 'app.oauth2.token.detect_reuse' : 'app.oauth2.as.token.detect_reuse',
  actor: actorOf(client),
  outcome: { result: 'FAILURE', reason: 'REFRESH_TOKEN_REUSE' },
  target: [
    targetOf(client),
    { id, type: 'refresh_token', displayName: 'Refresh Token' },
    bareUser(userId),
    ...serverTargets(eventServer(server)),
  ],
});

export const oldestEndedEvent = (
  client: ClientCredentials,
  server: Server,
  { ids, userId }: { readonly ids: readonly string[]; readonly userId: string },
): NewEvent => ({
  eventType: server === null ? 'app.oauth2.token.revoke' : 'app.oauth2.as.token.revoke',
  actor: actorOf(client),
  target: [
    targetOf(client),
    ...ids.map((id) => ({ id, type: 'refresh_token', displayName: 'Refresh Token' })),
    bareUser(userId),
    ...serverTargets(eventServer(server)),
  ],
  debugData: { reason: 'REFRESH_TOKEN_LIMIT' },
});

export function codeReplayedEvents(
  client: ClientCredentials,
  server: Server,
  voided: {
    readonly userId: string;
    readonly accessJtiHash: Buffer | null;
    readonly refreshTokenIds: readonly string[];
  },
): readonly NewEvent[] {
  const { accessJtiHash, refreshTokenIds, userId } = voided;
  const hash = accessJtiHash?.toString('base64url');
  const tokens: Target[] = [
    ...(hash === undefined
      ? []
      : [{ id: hash, type: 'access_token', displayName: 'Access Token', detailEntry: { hash } }]),
    ...refreshTokenIds.map((id) => ({ id, type: 'refresh_token', displayName: 'Refresh Token' })),
  ];
  if (tokens.length === 0) return [];
  return [
    {
      eventType: server === null ? 'app.oauth2.token.revoke' : 'app.oauth2.as.token.revoke',
      actor: actorOf(client),
      target: [targetOf(client), ...tokens, bareUser(userId), ...serverTargets(eventServer(server))],
      debugData: { reason: 'AUTHORIZATION_CODE_REPLAYED' },
    },
  ];
}
