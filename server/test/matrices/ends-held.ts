import type { TestResponse } from '../support/client.ts';
import { exchange, ME, signedIn } from '../support/session-tokens.ts';
import { ACCESS_TOKEN, TOKEN_EXCHANGE } from '../support/token-exchange.ts';
import { HELD_REQUESTS } from './ends-held-requests.ts';
import { answersGood, type Held, isTold, OF_APP, OF_SERVER, OF_USER, type Parent } from './ends-holding.ts';
import { CUSTOM_SCOPES, codeForm, codeOf, OWN_SCOPES } from './ends-world.ts';

const OF_PERSON: readonly Held[] = [
  {
    name: 'a session’s cookie',
    hangsOn: [...OF_USER, 'session'],
    paths: ['useSession'],
    tables: ['sessions'],
    hold: async ({ browser, there }) => {
      const client = there({ cookie: browser.cookie.replace('__Host-', '') });
      return () => answersGood(client.get(ME));
    },
  },
  {
    name: 'a session token',
    hangsOn: [...OF_USER, 'activeUser', 'sessionToken'],
    paths: ['createSession'],
    tables: ['session_tokens'],
    isSpent: true,
    hold: async ({ browser, org, service, there }) => {
      const { sessionToken } = await signedIn(service, org, browser.userId);
      return () => answersGood(exchange(there(), sessionToken));
    },
  },
  {
    name: 'an API token',
    hangsOn: ['user', 'apiToken', 'org'],
    paths: [],
    tables: ['api_tokens'],
    hold: async ({ apiToken, there }) => {
      const client = there({ authorization: `SSWS ${apiToken.value}` });
      return () => answersGood(client.get('/api/v1/users/me'));
    },
  },
  {
    name: 'a consent',
    hangsOn: ['userAccount', 'appAccount', ...OF_SERVER, 'scope', 'consent', 'org'],
    paths: [],
    tables: ['user_consents'],
    hold: async ({ app, browser, org, there }) => {
      const client = there({ authorization: `SSWS ${org.adminToken}` });
      const mine = ({ body }: TestResponse) => body.some(({ clientId }: { clientId: string }) => clientId === app.id);
      return () => isTold(mine)(client.get(`/api/v1/users/${browser.userId}/grants`));
    },
  },
];

const codeAt = (name: string, scope: string, own: readonly Parent[]): Held => ({
  name,
  hangsOn: [...OF_USER, 'activeUser', 'session', ...OF_APP, 'secret', ...own],
  paths: ['redeemCode'],
  tables: ['authorization_codes'],
  isSpent: true,
  hold: async (world) => {
    const code = await codeOf(world, scope);
    const path = scope === CUSTOM_SCOPES ? `${world.server.oauth}/v1/token` : '/oauth2/v1/token';
    return () => answersGood(world.send(path, codeForm(code)));
  },
});

const tokenAt = (name: string, scope: string, own: readonly Parent[]): Held => ({
  name,
  hangsOn: [...OF_USER, 'activeUser', ...OF_APP, 'secret', 'refreshToken', ...own],
  paths: ['refreshToken'],
  tables: ['refresh_tokens'],
  isSpent: true,
  hold: async ({ custom, own: ofOrg, send, server }) => {
    const isCustom = scope === CUSTOM_SCOPES;
    const path = isCustom ? `${server.oauth}/v1/token` : '/oauth2/v1/token';
    const token = isCustom ? custom.refresh : ofOrg.refresh;
    return () => answersGood(send(path, { grant_type: 'refresh_token', refresh_token: token }));
  },
});

type Shown = 'access' | 'refresh' | 'id';

const introspected = (name: string, which: Shown, place: 'own' | 'custom', hangsOn: readonly Parent[]): Held => ({
  name: `${name}, shown to its client`,
  hangsOn: [...OF_USER, ...OF_APP, 'secret', ...hangsOn],
  paths: ['useUserToken', 'introspect'],
  tables: ['revoked_tokens', 'refresh_tokens', 'signing_keys'],
  hold: async ({ [place]: tokens, send, server }) => {
    const path = place === 'own' ? '/oauth2/v1/introspect' : `${server.oauth}/v1/introspect`;
    const isAsked = ({ body }: TestResponse) =>
      body.active === true && (place === 'own' || which === 'id' || body.scope.split(' ').includes('orders.read'));
    return () => isTold(isAsked)(send(path, { token: tokens[which] }));
  },
});

const atUserInfo = (name: string, place: 'own' | 'custom', hangsOn: readonly Parent[]): Held => ({
  name: `${name}, at userinfo`,
  hangsOn: [...OF_USER, ...OF_APP, 'accessToken', ...hangsOn],
  paths: ['useUserToken'],
  tables: ['revoked_tokens', 'signing_keys'],
  hold: async ({ [place]: tokens, server, there }) => {
    const client = there({ authorization: `Bearer ${tokens.access}` });
    const path = place === 'own' ? '/oauth2/v1/userinfo' : `${server.oauth}/v1/userinfo`;
    return () => answersGood(client.get(path));
  },
});

const OF_TOKENS: readonly Held[] = [
  codeAt('a code', OWN_SCOPES, ['apiScope']),
  codeAt('a code of a custom server', CUSTOM_SCOPES, [...OF_SERVER, 'policy', 'scope', 'consent']),
  tokenAt('a refresh token', OWN_SCOPES, ['apiScope']),
  tokenAt('a refresh token of a custom server', CUSTOM_SCOPES, [...OF_SERVER, 'policy', 'scope', 'consent']),
  introspected('a refresh token', 'refresh', 'own', ['refreshToken']),
  introspected('a refresh token of a custom server', 'refresh', 'custom', [
    ...OF_SERVER,
    'refreshToken',
    'scope',
    'consent',
  ]),
  introspected('an access token', 'access', 'own', ['accessToken', 'key']),
  introspected('an access token of a custom server', 'access', 'custom', [
    ...OF_SERVER,
    'accessToken',
    'key',
    'scope',
    'consent',
  ]),
  introspected('an ID token', 'id', 'own', ['key']),
  introspected('an ID token of a custom server', 'id', 'custom', [...OF_SERVER, 'key']),
  atUserInfo('an access token', 'own', ['key']),
  atUserInfo('an access token of a custom server', 'custom', [...OF_SERVER, 'key']),
  {
    name: 'an access token, at the API',
    hangsOn: [...OF_USER, ...OF_APP, 'accessToken', 'apiScope', 'key'],
    paths: ['useUserToken'],
    tables: ['revoked_tokens'],
    hold: async ({ own, there }) => {
      const client = there({ authorization: `Bearer ${own.access}` });
      return () => answersGood(client.get('/api/v1/users/me'));
    },
  },
  {
    name: 'an access token of a custom server, exchanged',
    hangsOn: [...OF_USER, ...OF_APP, ...OF_SERVER, 'activeUser', 'secret', 'accessToken', 'key', 'policy'],
    paths: ['exchangeToken'],
    tables: ['revoked_tokens'],
    hold: async ({ custom, send, server }) => {
      const subject = { subject_token: custom.access, subject_token_type: ACCESS_TOKEN };
      const form = { grant_type: TOKEN_EXCHANGE, ...subject, scope: 'openid' };
      return () => answersGood(send(`${server.oauth}/v1/token`, form));
    },
  },
  {
    name: 'the list of refresh tokens',
    hangsOn: [...OF_USER, ...OF_APP, 'refreshToken'],
    paths: [],
    tables: ['refresh_tokens'],
    hold: async ({ app, browser, org, there }) => {
      const client = there({ authorization: `SSWS ${org.adminToken}` });
      const path = `/api/v1/users/${browser.userId}/clients/${app.id}/tokens`;
      return () => isTold(({ body }) => body.length > 0)(client.get(path));
    },
  },
];

export const HELD: readonly Held[] = [...OF_PERSON, ...OF_TOKENS, ...HELD_REQUESTS];
