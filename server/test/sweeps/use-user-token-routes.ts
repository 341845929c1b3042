import { assertUser, JWT_BEARER, newAsserter } from '../support/assertion-grant.ts';
import { type CustomServer, newCustomServer } from '../support/custom-servers.ts';
import {
  ACCESS_TOKEN,
  exchangeToken,
  newExchanger,
  newExchangeServer,
  TOKEN_EXCHANGE,
  tokenAt,
  tokensAt,
} from '../support/token-exchange.ts';
import { newCode, newUserApp, redeem, refresh, requestTokens, type UserApp } from '../support/user-tokens.ts';
import { PASSWORD } from '../support/users.ts';
import type { Use } from './asking.ts';

async function useUserInfo({ ask, org }: Use, path: string, token: string): Promise<void> {
  const client = org.client({ authorization: `Bearer ${token}` });
  await ask('GET', path, undefined, { client });
  await ask('POST', path, undefined, {
    client: org.anonymous,
    raw: new URLSearchParams({ access_token: token }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
}

async function useServer(use: Use, app: UserApp, serverId: string, oauth: string): Promise<void> {
  const { org, service } = use;
  const at = (endpoint: string) => ({ path: `${oauth}/v1/${endpoint}` });
  const scopes = ['openid', 'profile', 'email', 'offline_access'];
  const code = await newCode(service, org, app, { serverId, scopes });
  const { body: tokens } = await redeem(org, app, code, {}, at('token'));
  await useUserInfo(use, at('userinfo').path, tokens.access_token);
  const { body: next } = await refresh(org, app, tokens.refresh_token, {}, at('token'));
  for (const token of [next.access_token, next.refresh_token, next.id_token]) {
    await requestTokens(org, app, { token }, at('introspect'));
  }
  await refresh(org, app, tokens.refresh_token, {}, at('token'));
  await redeem(org, app, code, {}, at('token'));
  const password = { grant_type: 'password', username: app.login, password: PASSWORD, scope: scopes.join(' ') };
  const { body: last } = await requestTokens(org, app, password, at('token'));
  await requestTokens(org, app, { ...password, password: 'Wrong-0-Password' }, at('token'));
  for (const token of [last.refresh_token, last.access_token]) await requestTokens(org, app, { token }, at('revoke'));
}

async function useOtherGrants({ org, service }: Use, app: UserApp, server: CustomServer): Promise<void> {
  const other = await newExchangeServer(org);
  await org.admin.post(`${server.path}/associatedServers`, { body: { trusted: [other.id] } });
  const exchanger = await newExchanger(org, [app.userId]);
  const at = { path: tokenAt(server) };
  const form = { grant_type: 'client_credentials', scope: 'orders.read' };
  const { body: own } = await requestTokens(org, exchanger, form, at);
  const acting = { actor_token: own.access_token, actor_token_type: ACCESS_TOKEN, scope: 'openid' };
  for (const from of [server, other]) {
    const { access_token: token } = await tokensAt(service, org, app, from);
    await exchangeToken(org, exchanger, token, acting, at);
    await exchangeToken(org, exchanger, token, { ...acting, scope: 'orders.none' }, at);
  }
  const asserter = await newAsserter(org, [app.userId]);
  await assertUser(org, server, asserter, app.login);
}

export async function useUserTokenRoutes(use: Use): Promise<void> {
  const { org, service } = use;
  const app = await newUserApp(org, {
    scopes: ['svc.users.read'],
    settings: { grant_types: ['authorization_code', 'refresh_token', 'password'] },
  });
  await useServer(use, app, '', '/oauth2');
  const server = await newCustomServer(org, {
    grantTypes: ['authorization_code', 'client_credentials', 'password', TOKEN_EXCHANGE, JWT_BEARER],
    claims: { tier: 'appuser.userName', teams: { valueType: 'GROUPS', value: '.*', group_filter_type: 'REGEX' } },
  });
  await useServer(use, app, server.id, server.oauth);
  await useOtherGrants(use, app, server);
  const code = await newCode(service, org, app, { scopes: ['svc.users.read'] });
  const { body } = await redeem(org, app, code);
  await org.client({ authorization: `Bearer ${body.access_token}` }).get('/api/v1/users/me');
}
