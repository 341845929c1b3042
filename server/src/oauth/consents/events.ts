import type { ClientId } from '../../kernel/words/ids.ts';
import { authorizationServerTarget } from '../../management/authorization-servers/index.ts';
import { namedUserTarget } from '../../management/users/index.ts';
import { changeTarget, type NewEvent, type Target } from '../../system-log/index.ts';
import type { UserGrant } from './grants/grant-store.ts';
import type { EndedToken } from './refresh-tokens/refresh-token-store.ts';

/** The user, the client and the server of a consent, with the names that events record. */
export interface ConsentNames {
  readonly userId: string;
  readonly login: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly clientId: ClientId;
  readonly clientLabel: string;
  readonly serverId: string;
  readonly serverName: string;
}

const clientTarget = (id: ClientId, label: string): Target => ({
  id,
  type: 'PublicClientApp',
  alternateId: id,
  displayName: label,
});

const userOf = ({ firstName, lastName, login, userId }: Omit<ConsentNames, 'clientId' | 'clientLabel'>): Target =>
  namedUserTarget({ id: userId, login, profile: { login, firstName, lastName } });

interface NamedScope {
  readonly id: string;
  readonly name: string;
}

const scopeChange = changeTarget(
  ({ id, name }: NamedScope): Target => ({ id, type: 'Scope', alternateId: 'unknown', displayName: name }),
  ({ name }) => ({ scope: name }),
);

function targetsOf(names: ConsentNames, scopes: readonly Target[]): Target[] {
  return [
    clientTarget(names.clientId, names.clientLabel),
    userOf(names),
    authorizationServerTarget({ id: names.serverId, name: names.serverName }),
    ...scopes,
  ];
}

/** The actor and authentication of an event. If both are absent, the actor is the owner of the request's credential. */
export type By = Pick<NewEvent, 'actor' | 'authentication'>;

export const consentGrantEvent = (names: ConsentNames, scopes: readonly NamedScope[], by: By): NewEvent => ({
  eventType: 'app.oauth2.as.consent.grant',
  ...by,
  target: targetsOf(
    names,
    scopes.map((scope) => scopeChange([null, scope])),
  ),
});

export const consentRevokeEvent = (names: ConsentNames, scopes: readonly NamedScope[], by: By = {}): NewEvent => ({
  eventType: 'app.oauth2.as.consent.revoke',
  ...by,
  target: targetsOf(
    names,
    scopes.map((scope) => scopeChange([scope, null])),
  ),
});

export function revokeEventsOf(grants: readonly UserGrant[]): NewEvent[] {
  const groups = new Map<string, UserGrant[]>();
  for (const grant of grants) {
    const place = `${grant.clientId} ${grant.serverId}`;
    groups.set(place, [...(groups.get(place) ?? []), grant]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    const scopes = group.map(({ scopeId, scopeName }) => ({ id: scopeId, name: scopeName }));
    return first === undefined ? [] : [consentRevokeEvent(first, scopes)];
  });
}

export interface TokenNames extends EndedToken {
  readonly clientLabel: string;
  readonly userId: string;
  readonly login: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
  /** Null means the org's own server. */
  readonly serverName: string | null;
}

export const tokenRevokeEvent = (token: TokenNames, by: By = {}): NewEvent => {
  const { clientId, clientLabel, id, serverId, serverName } = token;
  const server = serverName === null ? [] : [authorizationServerTarget({ id: serverId, name: serverName })];
  return {
    eventType: serverName === null ? 'app.oauth2.token.revoke' : 'app.oauth2.as.token.revoke',
    ...by,
    target: [
      clientTarget(clientId, clientLabel),
      { id, type: 'refresh_token', displayName: 'Refresh Token' },
      userOf({ ...token, serverName: serverName ?? '' }),
      ...server,
    ],
  };
};

export const tokensRevokeEvent = (
  client: { readonly clientId: ClientId; readonly label: string },
  others: readonly Target[],
  count: number,
): NewEvent => ({
  eventType: 'app.oauth2.token.revoke.implicit.client',
  target: [clientTarget(client.clientId, client.label), ...others],
  debugData: { revokedTokens: String(count) },
});
