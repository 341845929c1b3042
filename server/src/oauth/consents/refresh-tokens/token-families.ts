import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import type { ClientId } from '../../../kernel/words/ids.ts';
import { type App, appIdOfClient, getApp, lockApp } from '../../../management/apps/index.ts';
import { authorizationServerTarget, findAuthorizationServer } from '../../../management/authorization-servers/index.ts';
import { getUser, lockUser, resolveUserId, userTarget } from '../../../management/users/index.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Db, Tx } from '../../../platform/postgres/index.ts';
import type { Target } from '../../../system-log/index.ts';
import { assertClient } from '../grants/assert-client.ts';
import type { ConsentsPorts } from '../ports.ts';
import type { TokensOf } from './refresh-token-store.ts';

export interface TokensPlace {
  readonly of: TokensOf;
  readonly client: Pick<App, 'clientId' | 'label'>;
  /** The user or the server in the path, if there is one. */
  readonly others: readonly Target[];
  /** The path of the list of tokens, for links in responses. */
  readonly collection: string;
}

export type Params = Readonly<Record<string, string>>;

export interface TokenFamily {
  readonly tag: string;
  readonly url: string;
  readonly params: readonly string[];
  readonly resource: 'apps' | 'users' | 'authorizationServers';
  readonly operations: {
    readonly list: string;
    readonly revokeAll: string;
    readonly get: string;
    readonly revoke: string;
  };
  readonly cors: boolean;
  /** Whether a role that covers only some of the apps or users suffices. */
  readonly appliesGrant: boolean;
  readonly defaultLimit: number;
  readonly find: (ports: ConsentsPorts, context: Context, within: Grant, params: Params) => Promise<TokensPlace>;
  /** Works like `find`, but also locks the user or the app. */
  readonly lock: (
    ports: ConsentsPorts,
    tx: Tx,
    context: Context,
    within: Grant,
    params: Params,
  ) => Promise<TokensPlace>;
}

const given = (params: Params, name: string): string => params[name] ?? '';

const ofApp = (app: App): TokensPlace => ({
  of: { userId: null, clientId: app.clientId, serverId: null },
  client: app,
  others: [],
  collection: `/api/v1/apps/${app.id}/tokens`,
});

const ofUser = (user: Parameters<typeof userTarget>[0], client: App): TokensPlace => ({
  of: { userId: user.id, clientId: client.clientId, serverId: null },
  client,
  others: [userTarget(user)],
  collection: `/api/v1/users/${user.id}/clients/${client.clientId}/tokens`,
});

async function ofServer(
  db: Db,
  { orgId }: Context,
  params: Params,
  clientOf: (clientId: ClientId) => Promise<App>,
): Promise<TokensPlace> {
  const id = given(params, 'authServerId');
  const server = await findAuthorizationServer(db, orgId, id);
  if (server === null) throw notFound(id, 'AuthorizationServer');
  const client = await clientOf(given(params, 'clientId'));
  const segment = server.isDefault ? 'default' : server.id;
  return {
    of: { userId: null, clientId: client.clientId, serverId: server.id },
    client,
    others: [authorizationServerTarget(server)],
    collection: `/api/v1/authorizationServers/${segment}/clients/${client.clientId}/tokens`,
  };
}

const apps: TokenFamily = {
  tag: 'ApplicationTokens',
  url: '/api/v1/apps/:appId/tokens',
  params: ['appId'],
  resource: 'apps',
  operations: {
    list: 'listOAuth2TokensForApplication',
    revokeAll: 'revokeOAuth2TokensForApplication',
    get: 'getOAuth2TokenForApplication',
    revoke: 'revokeOAuth2TokenForApplication',
  },
  cors: false,
  appliesGrant: true,
  defaultLimit: 20,
  find: async ({ db }, context, within, params) => ofApp(await getApp(db, context, within, given(params, 'appId'))),
  lock: async (_, tx, context, within, params) => ofApp(await lockApp(tx, context, given(params, 'appId'), within)),
};

export const TOKENS_OF_USER: TokenFamily = {
  tag: 'UserOAuth',
  url: '/api/v1/users/:userId/clients/:clientId/tokens',
  params: ['userId', 'clientId'],
  resource: 'users',
  operations: {
    list: 'listRefreshTokensForUserAndClient',
    revokeAll: 'revokeTokensForUserAndClient',
    get: 'getRefreshTokenForUserAndClient',
    revoke: 'revokeTokenForUserAndClient',
  },
  cors: true,
  appliesGrant: true,
  defaultLimit: 20,
  find: async (ports, context, within, params) => {
    const user = await getUser(ports.users, context, within, given(params, 'userId'));
    return ofUser(user, await assertClient(ports.db, context.orgId, given(params, 'clientId')));
  },
  lock: async (ports, tx, context, within, params) => {
    const userId = await resolveUserId(tx, context, given(params, 'userId'), within);
    const user = await lockUser(ports.users, tx, context, within, userId);
    return ofUser(user, await assertClient(tx, context.orgId, given(params, 'clientId')));
  },
};

const servers: TokenFamily = {
  tag: 'AuthorizationServerClients',
  url: '/api/v1/authorizationServers/:authServerId/clients/:clientId/tokens',
  params: ['authServerId', 'clientId'],
  resource: 'authorizationServers',
  operations: {
    list: 'listRefreshTokensForAuthorizationServerAndClient',
    revokeAll: 'revokeRefreshTokensForAuthorizationServerAndClient',
    get: 'getRefreshTokenForAuthorizationServerAndClient',
    revoke: 'revokeRefreshTokenForAuthorizationServerAndClient',
  },
  cors: false,
  appliesGrant: false,
  // The contract lists all tokens by default, so the default is the maximum page size.
  defaultLimit: 200,
  find: ({ db }, context, _, params) =>
    ofServer(db, context, params, (clientId) => assertClient(db, context.orgId, clientId)),
  lock: (_, tx, context, __, params) =>
    ofServer(tx, context, params, async (clientId) => lockApp(tx, context, await appIdOfClient(tx, context, clientId))),
};

/** All kinds of resources with refresh tokens (contract section 7). */
export const TOKEN_FAMILIES: readonly TokenFamily[] = [apps, TOKENS_OF_USER, servers];
