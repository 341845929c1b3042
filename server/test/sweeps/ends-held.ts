import type { AdmissionPath } from '../../src/access/admission.ts';
import { answered, ask, CALLBACK, cookieOf, newPkce, requestOf } from '../support/authorization.ts';
import type { TestResponse } from '../support/client.ts';
import { good } from '../support/custom-servers.ts';
import { postForm } from '../support/service-apps.ts';
import { exchange, ME, signedIn } from '../support/session-tokens.ts';
import { ACCESS_TOKEN, TOKEN_EXCHANGE } from '../support/token-exchange.ts';
import { CUSTOM_SCOPES, codeForm, codeOf, type EndsWorld, OWN_SCOPES } from './ends-world.ts';

/**
 * What something may hang on. `user`: that he is neither suspended, deactivated nor deleted; `userWatermark`: nothing
 * has voided what he was given before; `activeUser`: that he may sign in; `userAccount`, `appAccount`: that they were
 * never deactivated since.
 */
export type Parent =
  | 'user'
  | 'userWatermark'
  | 'activeUser'
  | 'userAccount'
  | 'session'
  | 'sessionToken'
  | 'apiToken'
  | 'app'
  | 'appWatermark'
  | 'appAccount'
  | 'assignment'
  | 'secret'
  | 'apiScope'
  | 'server'
  | 'serverWatermark'
  | 'policy'
  | 'scope'
  | 'consent'
  | 'accessToken'
  | 'refreshToken'
  | 'key'
  | 'org';

/** Something that was handed out, and what ends it. */
export interface Held {
  readonly name: string;
  readonly hangsOn: readonly Parent[];
  /** Rows of the table of admission that it is admitted by. */
  readonly paths: readonly AdmissionPath[];
  /** Tables that know of it. */
  readonly tables: readonly string[];
  /** To be asked once: what is good once is spent by it. */
  readonly isSpent?: true;
  /** Asks the other process whether it still holds. */
  readonly hold: (world: EndsWorld) => Promise<() => Promise<boolean>>;
}

const answersGood = async (answer: Promise<TestResponse>): Promise<boolean> => {
  const { status, text } = await answer;
  if (status >= 500) throw new Error(`answered ${status}: ${text}`);
  return status < 300;
};

const isTold = (what: (answer: TestResponse) => boolean) => async (answer: Promise<TestResponse>) => {
  const told = await answer;
  if (told.status >= 500) throw new Error(`answered ${told.status}: ${told.text}`);
  return told.status < 300 && what(told);
};

const OF_USER = ['user', 'userWatermark', 'org'] as const satisfies readonly Parent[];
const OF_APP = ['app', 'appWatermark', 'assignment'] as const satisfies readonly Parent[];
const OF_SERVER = ['server', 'serverWatermark'] as const satisfies readonly Parent[];

/** How one browser's way on ends: with its client, or somewhere else. */
function leadsOn(response: TestResponse): boolean {
  if (response.status >= 500) throw new Error(`answered ${response.status}: ${response.text}`);
  if (response.status !== 303) return false;
  const { parameters, to } = answered(response);
  return to === '/consent' || (to === CALLBACK && 'code' in parameters);
}

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

const OF_REQUESTS: readonly Held[] = [
  {
    name: 'a pushed request',
    hangsOn: ['app', 'server', 'policy', 'org'],
    paths: ['par', 'authorize'],
    tables: ['authorization_requests'],
    isSpent: true,
    hold: async ({ app, bystander, org, server, there }) => {
      const secret = Buffer.from(`${app.id}:${app.secret ?? ''}`).toString('base64');
      const pushed = await good(
        postForm(org.anonymous, `${server.oauth}/v1/par`, requestOf(app, newPkce().parameters), {
          headers: { authorization: `Basic ${secret}` },
        }),
      );
      const client = there({ cookie: bystander.cookie, accept: 'text/html' });
      const query = new URLSearchParams({ client_id: app.id, request_uri: pushed.request_uri }).toString();
      return async () => leadsOn(await client.get(`${server.oauth}/v1/authorize?${query}`));
    },
  },
  {
    name: 'a request that waits for its user’s consent',
    hangsOn: [...OF_USER, 'activeUser', 'session', 'app', 'assignment', 'server', 'policy'],
    paths: ['authorize'],
    tables: ['authorization_requests'],
    isSpent: true,
    hold: async ({ app, browser, server, there }) => {
      const begun = await ask(browser.client, app, { scope: 'openid orders.write' }, `${server.oauth}/v1/authorize`);
      const id = answered(begun).parameters['request'] ?? '';
      const cookie = `${browser.cookie}; __Host-flow=${cookieOf(begun, '__Host-flow') ?? ''}`;
      const client = there({ cookie, accept: 'text/html' });
      return async () => leadsOn(await client.get(`/oauth2/v1/authorize/resume?request=${id}`));
    },
  },
];

const OF_CLIENT: readonly Held[] = [
  {
    name: 'the secret of an app',
    hangsOn: ['app', 'secret', 'org'],
    paths: ['introspect', 'revoke'],
    tables: ['app_secrets'],
    hold:
      async ({ send }) =>
      () =>
        answersGood(send('/oauth2/v1/introspect', { token: 'none' })),
  },
  {
    name: 'a token of an app’s own, shown to it',
    hangsOn: ['app', 'appWatermark', 'secret', 'key', ...OF_SERVER, 'org'],
    paths: ['serverClientCredentials', 'introspectServerToken'],
    tables: ['revoked_tokens'],
    hold: async ({ send, server }) => {
      const form = { grant_type: 'client_credentials', scope: 'orders.own' };
      const { access_token: token } = await good(send(`${server.oauth}/v1/token`, form));
      return () => isTold(({ body }) => body.active === true)(send(`${server.oauth}/v1/introspect`, { token }));
    },
  },
];

/** Everything that may be held, and must end with what it hangs on. */
export const HELD: readonly Held[] = [...OF_PERSON, ...OF_TOKENS, ...OF_REQUESTS, ...OF_CLIENT];
