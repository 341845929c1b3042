import {
  ALL_RESPONSES,
  AUTHORIZE,
  answered,
  ask as askFirst,
  cookieOf,
  newBrowser,
  newOidcApp,
  newPkce,
  requestOf,
  withCookies,
} from '../support/authorization.ts';
import type { TestClient } from '../support/client.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import { signedIn } from '../support/session-tokens.ts';
import type { Use } from './asking.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

export async function useAuthorizationRoutes({ ask, org, service }: Use): Promise<void> {
  const app = await newOidcApp(org, { settings: ALL_RESPONSES });
  const { client, cookie, userId } = await newBrowser(service, org, app);
  const server = await newCustomServer(org, { grantTypes: ['authorization_code', 'implicit'] });
  const basic = `Basic ${Buffer.from(`${app.id}:${app.secret}`).toString('base64')}`;
  const more = { ...newPkce().parameters, nonce: 'n' };
  const query = (changes = {}) => new URLSearchParams(requestOf(app, { ...more, ...changes })).toString();
  const get = (path: string, changes = {}, by: TestClient = client) =>
    ask('GET', `${path}?${query(changes)}`, undefined, { client: by });
  for (const path of [AUTHORIZE, `${server.oauth}/v1/authorize`]) {
    await get(path);
    await get(path, { response_type: 'code id_token token', response_mode: 'form_post' });
    await ask('POST', path, undefined, { client, raw: query(), headers: FORM });
    const parPath = path.replace('authorize', 'par');
    const headers = { ...FORM, authorization: basic };
    const pushed = await ask('POST', parPath, undefined, { client: org.anonymous, raw: query(), headers });
    const named = new URLSearchParams({ client_id: app.id, request_uri: pushed.request_uri }).toString();
    await ask('GET', `${path}?${named}`, undefined, { client });
    await get(path, { scope: 'openid nobodys' });
  }
  const closed = await newCustomServer(org, { grantTypes: ['client_credentials'] });
  await get(`${closed.oauth}/v1/authorize`, { scope: 'openid' });
  const begun = await askFirst(org.anonymous, app, more);
  const resume = answered(begun).parameters['fromURI'] ?? '';
  const browser = withCookies(org, `__Host-flow=${cookieOf(begun, '__Host-flow')}`, cookie);
  await ask('GET', resume, undefined, { client: browser });
  const { sessionToken } = await signedIn(service, org, userId);
  await get(AUTHORIZE, { sessionToken }, org.anonymous);
}
