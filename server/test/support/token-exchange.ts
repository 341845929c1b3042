import { assign, type NewOidcApp, newOidcApp, type OidcApp } from './authorization.ts';
import { beforeTests } from './before-tests.ts';
import type { TestResponse } from './client.ts';
import { type CustomServer, type NewCustomServer, newCustomServer } from './custom-servers.ts';
import type { TestOrg, TestService } from './service.ts';
import { newUserApp, requestTokens, type Sent, tokensOf, type UserApp } from './user-tokens.ts';

export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
export const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token';

type Form = Readonly<Record<string, string | undefined>>;

export const newExchangeServer = (org: TestOrg, given: NewCustomServer = {}): Promise<CustomServer> =>
  newCustomServer(org, {
    grantTypes: ['authorization_code', 'client_credentials', TOKEN_EXCHANGE],
    scopes: { 'orders.read': {}, 'orders.write': {} },
    ...given,
  });

export async function newExchanger(
  org: TestOrg,
  userIds: readonly string[],
  given: Pick<NewOidcApp, 'authMethod' | 'clientId' | 'scopes' | 'settings'> = {},
): Promise<OidcApp> {
  const { settings = {}, ...more } = given;
  const grantTypes = ['authorization_code', 'client_credentials', 'refresh_token', TOKEN_EXCHANGE];
  const app = await newOidcApp(org, { ...more, settings: { grant_types: grantTypes, ...settings } });
  for (const userId of userIds) await assign(org, app, userId);
  return app;
}

export const tokenAt = ({ oauth }: Pick<CustomServer, 'oauth'>): string => `${oauth}/v1/token`;

export const tokensAt = (
  service: TestService,
  org: TestOrg,
  app: UserApp,
  server: CustomServer,
  scopes: readonly string[] = ['openid', 'orders.read'],
  changes: Parameters<typeof tokensOf>[3] = {},
): Promise<TestResponse['body']> =>
  tokensOf(service, org, app, { serverId: server.id, scopes, ...changes }, { path: tokenAt(server) });

/** Exchanges an access token. `changes` apply to the parameters of a valid request; undefined omits a parameter. */
export const exchangeToken = (
  org: TestOrg,
  app: OidcApp,
  token: string,
  changes: Form = {},
  sent: Sent = {},
): Promise<TestResponse> =>
  requestTokens(
    org,
    app,
    { grant_type: TOKEN_EXCHANGE, subject_token: token, subject_token_type: ACCESS_TOKEN, ...changes },
    sent,
  );

/**
 * Creates a custom server that allows token exchange, an app whose user gets tokens from this server, and an app that
 * exchanges these tokens.
 */
export function useExchange(org: TestOrg) {
  const server = beforeTests(() => newExchangeServer(org));
  const front = beforeTests(() => newUserApp(org));
  const api = beforeTests(() => newExchanger(org, [front.userId]));
  return { server, front, api };
}
