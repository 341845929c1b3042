import type { Context } from '../../kernel/context.ts';
import { linkTo } from '../../kernel/errors/hints.ts';
import { wireDate } from '../../kernel/texts/dates.ts';
import { FIRST_REVISION, type Version } from '../../kernel/version.ts';
import { namedUserTarget } from '../../management/users/index.ts';
import type { EmbeddedScope, ListedClient } from './grants/client-store.ts';
import type { UserGrant } from './grants/grant-store.ts';
import type { ShownToken } from './refresh-tokens/refresh-token-store.ts';

type Wire = Record<string, unknown>;

type Shown = Pick<
  ShownToken,
  | 'userId'
  | 'login'
  | 'firstName'
  | 'lastName'
  | 'appId'
  | 'clientId'
  | 'clientLabel'
  | 'serverId'
  | 'serverName'
  | 'isDefaultServer'
>;

const segmentOf = ({ isDefaultServer, serverId }: Shown): string => (isDefaultServer ? 'default' : serverId);

/** The org's own server is not a resource and has no link. */
function linksOf(shown: Shown, { baseUrl }: Context): Wire {
  const { appId, clientId, clientLabel, firstName, lastName, login, serverId, serverName, userId } = shown;
  const { displayName } = namedUserTarget({ id: userId, login, profile: { login, firstName, lastName } });
  const server = { href: `${baseUrl}/api/v1/authorizationServers/${segmentOf(shown)}`, title: serverName };
  return {
    app: { href: `${baseUrl}/api/v1/apps/${appId}`, title: clientLabel },
    client: { href: `${baseUrl}/oauth2/v1/clients/${clientId}`, title: clientLabel },
    user: { href: `${baseUrl}/api/v1/users/${userId}`, title: displayName },
    ...(serverId === '' ? {} : { authorizationServer: server }),
  };
}

const issuerOf = (shown: Shown, { baseUrl }: Context): string =>
  shown.serverId === '' ? baseUrl : `${baseUrl}/oauth2/${segmentOf(shown)}`;

function scopeLink(shown: Shown, scope: Pick<EmbeddedScope, 'id' | 'name' | 'displayName'>, { baseUrl }: Context) {
  const href = `${baseUrl}/api/v1/authorizationServers/${segmentOf(shown)}/scopes/${scope.id}`;
  return { href, title: scope.displayName ?? scope.name };
}

const wireScope = (shown: Shown, scope: Omit<EmbeddedScope, 'serverId'>, context: Context): Wire => ({
  id: scope.id,
  name: scope.name,
  ...(scope.displayName === null ? {} : { displayName: scope.displayName }),
  ...(scope.description === null ? {} : { description: scope.description }),
  _links: { scope: scopeLink(shown, scope, context) },
});

/** Returns the wire form of a user's consent to a scope (contract section 7). */
export function wireUserGrant(grant: UserGrant, context: Context, isExpanded: boolean): Wire {
  const scope = {
    id: grant.scopeId,
    name: grant.scopeName,
    displayName: grant.scopeDisplayName,
    description: grant.scopeDescription,
  };
  const { app, authorizationServer, client, user } = linksOf(grant, context);
  const address = `${context.baseUrl}/api/v1/users/${grant.userId}/grants/${grant.id}`;
  return {
    id: grant.id,
    status: 'ACTIVE',
    created: wireDate(grant.createdAt),
    createdBy: { id: grant.createdBy, type: 'User' },
    lastUpdated: wireDate(grant.lastUpdatedAt),
    issuer: issuerOf(grant, context),
    clientId: grant.clientId,
    userId: grant.userId,
    scopeId: grant.scopeId,
    source: grant.source,
    ...(isExpanded ? { _embedded: { scope: wireScope(grant, scope, context) } } : {}),
    _links: {
      app,
      scope: scopeLink(grant, scope, context),
      self: linkTo(address, '/api/v1/users/:userId/grants/:grantId'),
      client,
      user,
      authorizationServer,
    },
  };
}

/** The id is enough, because a grant that is revoked and given again gets a new id. */
export const userGrantVersion = ({ id }: UserGrant): Version => ({ kind: 'userGrant', id, revision: FIRST_REVISION });

/** Leaves out deleted scopes. Scopes of the org's own server have only names. */
function embeddedScopes(token: ShownToken, known: readonly EmbeddedScope[], context: Context): Wire[] {
  return token.scopes.flatMap((name) => {
    if (token.serverId === '') return [{ id: name, name }];
    const scope = known.find((one) => one.serverId === token.serverId && one.name === name);
    return scope === undefined ? [] : [wireScope(token, scope, context)];
  });
}

/** Renders a token without its value. `collection` is the path of its list. */
export function wireRefreshToken(
  token: ShownToken,
  context: Context,
  collection: string,
  embedded: readonly EmbeddedScope[] | null,
): Wire {
  const { app, ...others } = linksOf(token, context);
  const href = `${context.baseUrl}${collection}/${token.id}`;
  return {
    id: token.id,
    status: 'ACTIVE',
    created: wireDate(token.createdAt),
    lastUpdated: wireDate(token.lastUpdatedAt),
    expiresAt: wireDate(token.expiresAt),
    issuer: issuerOf(token, context),
    clientId: token.clientId,
    userId: token.userId,
    scopes: token.scopes,
    ...(embedded === null ? {} : { _embedded: { scopes: embeddedScopes(token, embedded, context) } }),
    _links: { app, self: { href }, revoke: { href, hints: { allow: ['DELETE'] } }, ...others },
  };
}

const wireClient = ({ clientId, clientUri, label, logoUri }: ListedClient): Wire => ({
  client_id: clientId,
  client_name: label,
  client_uri: clientUri,
  logo_uri: logoUri,
});

export const wireClientOfUser = (client: ListedClient, userId: string, { baseUrl }: Context): Wire => {
  const address = `${baseUrl}/api/v1/users/${userId}/clients/${client.clientId}`;
  return {
    ...wireClient(client),
    _links: { grants: { href: `${address}/grants` }, tokens: { href: `${address}/tokens` } },
  };
};

const TOKENS = '/api/v1/authorizationServers/:authServerId/clients/:clientId/tokens';

/** `address` is the API path of the authorization server. */
export const wireClientOfServer = (client: ListedClient, address: string, { baseUrl }: Context): Wire => ({
  ...wireClient(client),
  _links: {
    client: { href: `${baseUrl}/oauth2/v1/clients/${client.clientId}`, title: client.label },
    tokens: linkTo(`${baseUrl}${address}/clients/${client.clientId}/tokens`, TOKENS),
  },
});
