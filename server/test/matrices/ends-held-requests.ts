import { answered, ask, CALLBACK, cookieOf, newPkce, requestOf } from '../support/authorization.ts';
import { allowedRequest, CIBA_GRANT } from '../support/backchannel.ts';
import type { TestResponse } from '../support/client.ts';
import { good } from '../support/custom-servers.ts';
import { allowedDevice, DEVICE_GRANT } from '../support/devices.ts';
import { openPageClient } from '../support/page-client.ts';
import { postForm } from '../support/service-apps.ts';
import { answersGood, type Held, isTold, OF_APP, OF_SERVER, OF_USER } from './ends-holding.ts';
import { type EndsWorld, OWN_SCOPES } from './ends-world.ts';

/** Returns whether an authorization request leads to the consent page, or to the app with a code. */
function leadsOn(response: TestResponse): boolean {
  if (response.status >= 500) throw new Error(`answered ${response.status}: ${response.text}`);
  if (response.status !== 303) return false;
  const { parameters, to } = answered(response);
  return to === '/consent' || (to === CALLBACK && 'code' in parameters);
}

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

function pagesOf({ browser, org }: Pick<EndsWorld, 'browser' | 'org'>) {
  const pages = openPageClient(org);
  const [name = '', value = ''] = browser.cookie.split('=');
  pages.cookies.set(name, value);
  return { browser: pages, login: browser.login };
}

/** Requests that a user has allowed in the browser, and whose result the client polls for. */
const OF_POLLS: readonly Held[] = [
  {
    name: 'a device that was allowed',
    hangsOn: [...OF_USER, ...OF_APP, 'activeUser', 'secret', 'apiScope'],
    paths: ['deviceAuthorize', 'redeemDeviceCode'],
    tables: ['polled_requests'],
    isSpent: true,
    hold: async ({ app, browser, org, send }) => {
      const { deviceCode } = await allowedDevice(org, app, pagesOf({ browser, org }), { scope: OWN_SCOPES });
      return () => answersGood(send('/oauth2/v1/token', { grant_type: DEVICE_GRANT, device_code: deviceCode }));
    },
  },
  {
    name: 'what a user allowed an app that asked for him',
    hangsOn: [...OF_USER, ...OF_APP, 'activeUser', 'secret', 'apiScope'],
    paths: ['backchannelAuthorize', 'redeemBackchannelRequest'],
    tables: ['polled_requests'],
    isSpent: true,
    hold: async ({ app, browser, org, send }) => {
      const { authReqId } = await allowedRequest(org, app, pagesOf({ browser, org }), { scope: OWN_SCOPES });
      return () => answersGood(send('/oauth2/v1/token', { grant_type: CIBA_GRANT, auth_req_id: authReqId }));
    },
  },
];

export const HELD_REQUESTS: readonly Held[] = [...OF_REQUESTS, ...OF_CLIENT, ...OF_POLLS];
