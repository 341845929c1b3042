import { expect } from 'vitest';
import {
  ALL_RESPONSES,
  AUTHORIZE,
  answered,
  ask,
  assign,
  CALLBACK,
  ERROR_PAGE,
  newBrowser,
  newOidcApp,
  newPkce,
  post,
  requestOf,
} from '../support/authorization.ts';
import {
  answerTo,
  describeProfile,
  FORGOTTEN_MILLISECONDS,
  openWorld,
  REFRESHABLE,
  redeemed,
  row,
  tokensTo,
  USERINFO,
  userinfo,
  withApp,
} from '../support/conformance.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import { newProofKey, payloadOf, redeem, refresh, requestTokens, TOKEN, withProof } from '../support/user-tokens.ts';

// This file tests requirements for authorization servers in RFC 9700, sections 2 and 4.

const world = openWorld();

const codeOf = async (changes = {}) => {
  const { parameters, verifier } = newPkce();
  const { code = '' } = await answerTo(world(), { ...parameters, ...changes });
  return { code, verifier };
};
const INVALID_GRANT = { status: 400, body: { error: 'invalid_grant' } };
const OFFLINE = { scope: 'openid offline_access' };

const isPage = async (redirectUri: string, of = world()): Promise<void> => {
  const changes = { ...newPkce().parameters, redirect_uri: redirectUri };
  const response = await ask(of.browser.client, of.app, changes);
  expect(response).toMatchObject(ERROR_PAGE);
  expect(response.headers['location']).toBeUndefined();
};

const REDIRECTIONS = [
  row('2.1, 4.1.3', 'redirect URIs are compared to the letter', async () => {
    const { origin, pathname } = new URL(CALLBACK);
    const near = [`${origin}/Callback`, `${CALLBACK}/`, `${CALLBACK}?a`, `${CALLBACK}#a`, `${origin}/x/..${pathname}`];
    const far = ['https://app.example.evil.example/callback', `https://app.example@evil.example${pathname}`];
    for (const uri of [...near, ...far, `${origin}:443${pathname}`, `${origin}/%63allback`]) await isPage(uri);
  }),
  row('4.1.3', 'the port alone may differ, on the device of a native app', async () => {
    const settings = { ...REFRESHABLE, redirect_uris: ['http://127.0.0.1/cb'] };
    const native = await withApp(world(), { applicationType: 'native', authMethod: 'none', settings });
    const changes = { ...newPkce().parameters, redirect_uri: 'http://127.0.0.1:49152/cb' };
    expect(await answerTo(native, changes)).toHaveProperty('code');
    await isPage('http://127.0.0.1:49152/other', native);
    await isPage('http://localhost:49152/cb', native);
  }),
  row('4.11.2', 'no open redirector: nobody is sent to an address that is not registered', () =>
    isPage('https://evil.example/'),
  ),
  row('4.11.2', 'nor behind a sign-in', async () => {
    const { cookie } = world().browser;
    const client = world().org.client({ cookie, accept: 'text/html' });
    for (const uri of ['https://evil.example/', '//evil.example', '/\\evil.example']) {
      const { headers } = await client.get(`/signin?fromURI=${encodeURIComponent(uri)}`);
      expect(String(headers['location'] ?? '/')).toMatch(/^\/(?![/\\])/);
    }
  }),
  row('4.12', '303 behind a form, never 307', async () => {
    expect((await post(world().browser.client, world().app)).status).toBe(303);
  }),
];

const CODES = [
  row('2.1.1', 'public clients need PKCE, whatever is registered', async () => {
    const spa = await withApp(world(), { applicationType: 'browser', authMethod: 'none', pkceRequired: true });
    expect(await answerTo(spa)).toMatchObject({ error: 'invalid_request' });
    expect(await answerTo(spa, newPkce().parameters)).toHaveProperty('code');
  }),
  row('2.1.1', 'PKCE is there for all, and announced', async () => {
    expect((await redeemed(world())).status).toBe(200);
    const { body } = await world().org.anonymous.get('/.well-known/oauth-authorization-server');
    expect(body.code_challenge_methods_supported).toEqual(['S256']);
  }),
  row('2.1.1', 'plain is refused: the challenge would be the verifier', async () => {
    const changes = { ...newPkce().parameters, code_challenge_method: 'plain' };
    expect(await answerTo(world(), changes)).toMatchObject({ error: 'invalid_request' });
  }),
  row('2.1.1, 4.8.2', 'a verifier without a challenge is refused, and a challenge without a verifier', async () => {
    const { app, org } = world();
    const { code = '' } = await answerTo(world());
    const downgraded = await redeem(org, app, { code, verifier: newPkce().verifier });
    const unproven = await redeem(org, app, await codeOf(), { code_verifier: undefined });
    for (const { body, status } of [downgraded, unproven]) {
      expect([status, body.error]).toEqual([400, expect.stringMatching(/^invalid_(grant|request)$/)]);
    }
  }),
  row('4.7', 'a request without state and PKCE is refused; state and nonce come back', async () => {
    expect(await answerTo(world(), { state: undefined })).toMatchObject({ error: 'invalid_request' });
    expect(await answerTo(world(), { state: 's' })).toMatchObject({ state: 's' });
    expect(payloadOf((await tokensTo(world(), { nonce: 'n' })).id_token).nonce).toBe('n');
  }),
  row('2.1, 4.4.2', 'iss is in answers and errors, and announced', async () => {
    const { browser, app, org } = world();
    expect(await answerTo(world())).toMatchObject({ iss: org.baseUrl });
    expect(await answerTo(world(), { scope: 'nobodys' })).toMatchObject({ error: 'invalid_scope', iss: org.baseUrl });
    const server = await newCustomServer(org, { grantTypes: ['authorization_code'] });
    const { parameters } = answered(await ask(browser.client, app, {}, `${server.oauth}/v1/authorize`));
    expect(parameters).toMatchObject({ code: expect.any(String), iss: server.issuer });
    const { body } = await org.anonymous.get('/.well-known/oauth-authorization-server');
    expect(body.authorization_response_iss_parameter_supported).toBe(true);
  }),
  row('4.5', 'a code is bound to client, redirect URI and challenge', async () => {
    const { app, org } = world();
    const other = await withApp(world());
    expect(await redeem(org, other.app, await codeOf())).toMatchObject(INVALID_GRANT);
    expect(await redeem(org, app, await codeOf(), { redirect_uri: `${CALLBACK}2` })).toMatchObject(INVALID_GRANT);
    const verifier = { code_verifier: newPkce().verifier };
    expect(await redeem(org, app, await codeOf(), verifier)).toMatchObject(INVALID_GRANT);
  }),
  row('4.2.4', 'a code is over after a minute', async () => {
    const code = await codeOf();
    world().service.clock.advance(61_000);
    expect(await redeem(world().org, world().app, code)).toMatchObject(INVALID_GRANT);
  }),
  row('4.2.4', 'a code that comes again ends the tokens it gave', async () => {
    const [{ app, org, service }, code] = [world(), await codeOf(OFFLINE)];
    const { body } = await redeem(org, app, code);
    expect(await redeem(org, app, code)).toMatchObject(INVALID_GRANT);
    service.clock.advance(FORGOTTEN_MILLISECONDS);
    expect((await userinfo(org, body.access_token)).status).toBe(401);
    expect(await refresh(org, app, body.refresh_token)).toMatchObject(INVALID_GRANT);
  }),
];

const GRANTS = [
  row('2.1.2', 'no tokens with the answer but where the app turns them on', async () => {
    for (const type of ['token', 'id_token', 'code token']) {
      const answer = await answerTo(world(), { response_type: type, nonce: 'n' });
      expect(answer).toMatchObject({ error: 'unsupported_response_type' });
    }
  }),
  row('2.4', 'no password grant but where the app turns it on', async () => {
    const { app, browser, org } = world();
    const form = { grant_type: 'password', username: browser.login, password: 'x', scope: 'openid' };
    expect((await requestTokens(org, app, form)).body.error).toBe('unauthorized_client');
  }),
  row('2.2.2, 4.14', 'a refresh token is replaced by its use; the old one ends them all (app: ROTATE)', async () => {
    const settings = { ...REFRESHABLE, refresh_token: { rotation_type: 'ROTATE', leeway: 0 } };
    const spa = await withApp(world(), { applicationType: 'browser', authMethod: 'none', settings });
    const { refresh_token: first } = await tokensTo(spa, OFFLINE);
    const { body } = await refresh(spa.org, spa.app, first);
    expect(body.refresh_token).not.toBe(first);
    expect(await refresh(spa.org, spa.app, first)).toMatchObject(INVALID_GRANT);
    expect(await refresh(spa.org, spa.app, body.refresh_token)).toMatchObject(INVALID_GRANT);
  }),
  row('4.14.2', 'a refresh token has the scopes that were granted, and no more', async () => {
    const { refresh_token: token } = await tokensTo(world(), OFFLINE);
    const answer = await refresh(world().org, world().app, token, { scope: 'openid offline_access email' });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
  }),
  row('4.14.2', 'a refresh token ends with sessions that are cleared, by an administrator', async () => {
    const { app, org, service } = world();
    const browser = await newBrowser(service, org, app);
    const { refresh_token: token } = await tokensTo({ org, app, browser }, OFFLINE);
    await org.admin.del(`/api/v1/users/${browser.userId}/sessions?oauthTokens=true`);
    expect(await refresh(org, app, token)).toMatchObject(INVALID_GRANT);
  }),
];

const TOKENS = [
  row('2.2.1', 'DPoP binds tokens to a key where a client brings one', async () => {
    const [{ app, org }, key] = [world(), await newProofKey(world().service)];
    const code = await codeOf({ dpop_jkt: key.jkt });
    const { body } = await withProof(org, key, TOKEN, (headers) => redeem(org, app, code, {}, { headers }));
    expect(body.token_type).toBe('DPoP');
    expect((await userinfo(org, body.access_token)).status).toBe(401);
  }),
  row('2.3, 4.10.2', 'an access token is for one audience', async () => {
    const { app, browser, org } = world();
    const server = await newCustomServer(org, { grantTypes: ['authorization_code'] });
    const { parameters, verifier } = newPkce();
    const changes = { ...parameters, scope: 'openid orders.read' };
    const { code = '' } = answered(await ask(browser.client, app, changes, `${server.oauth}/v1/authorize`)).parameters;
    const { body } = await redeem(org, app, { code, verifier }, {}, { path: `${server.oauth}/v1/token` });
    expect(payloadOf(body.access_token).aud).toBe('api://orders');
    expect((await userinfo(org, body.access_token)).status).toBe(401);
    const api = org.client({ authorization: `Bearer ${body.access_token}` });
    expect((await api.get('/api/v1/users')).status).toBe(401);
  }),
  row('2.3', 'an access token has the scopes that were asked for, and opens nothing else', async () => {
    const { access_token: token } = await tokensTo(world());
    expect(payloadOf(token).scp).toEqual(['openid']);
    const api = world().org.client({ authorization: `Bearer ${token}` });
    expect((await api.get('/api/v1/users')).status).toBe(403);
  }),
  row('4.3.2', 'no token is taken from an address', async () => {
    const { access_token: token } = await tokensTo(world());
    expect((await world().org.anonymous.get(`${USERINFO}?access_token=${token}`)).status).toBe(400);
  }),
  row('4.2.4, 4.3', 'no code and no token stands in a log', async () => {
    const { code, verifier } = await codeOf(OFFLINE);
    const { body } = await redeem(world().org, world().app, { code, verifier });
    const written = world().service.logged() + JSON.stringify(await world().org.systemLog());
    for (const text of [code, verifier, body.access_token, body.id_token, body.refresh_token]) {
      expect(written).not.toContain(text);
    }
  }),
  row('4.15', 'no client is named as a user is: sub of the one is never that of the other', async () => {
    const { app, browser } = world();
    expect([app.id.slice(0, 3), browser.userId.slice(0, 3)]).toEqual(['0oa', '00u']);
  }),
];

const EDGES = [
  row('2.5', 'asymmetric authentication of clients is on offer', async () => {
    const { body } = await world().org.anonymous.get('/.well-known/oauth-authorization-server');
    expect(body.token_endpoint_auth_methods_supported).toContain('private_key_jwt');
  }),
  row('2.6', 'metadata is published', async () => {
    const { status } = await world().org.anonymous.get('/.well-known/oauth-authorization-server');
    expect(status).toBe(200);
  }),
  row('2.6', 'no CORS at the authorization endpoint', async () => {
    const body = { name: 'app', origin: 'https://app.example', scopes: [{ type: 'CORS' }] };
    await world().org.admin.post('/api/v1/trustedOrigins', { body });
    const query = new URLSearchParams(requestOf(world().app)).toString();
    const headers = { origin: 'https://app.example' };
    const answer = await world().org.anonymous.get(`${AUTHORIZE}?${query}`, { headers });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  }),
  row('4.2.4', 'no Referer tells an address with a code or a request', async () => {
    const { headers } = await ask(world().browser.client, world().app);
    expect(headers['referrer-policy']).toBe('no-referrer');
  }),
  row('4.16', 'no page can be framed, and scripts run by nonce', async () => {
    const pages = [
      await ask(world().browser.client, world().app, { redirect_uri: 'https://evil.example/' }),
      await ask(world().browser.client, world().app, { response_mode: 'form_post' }),
      await world().org.client({ accept: 'text/html' }).get('/signin'),
    ];
    for (const { headers } of pages) {
      const policy = String(headers['content-security-policy']);
      expect(policy).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
      expect(policy).not.toContain('unsafe');
      expect(headers['x-frame-options']).toBe('DENY');
    }
  }),
  row(
    '4.13',
    'nobody but our own proxy says who a client is: forwarded headers of others count for nothing',
    async () => {
      const forwarded = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http', 'x-ssl-client-cert': 'x' };
      const { body } = await world().org.client(forwarded).get('/.well-known/openid-configuration');
      expect(body.issuer).toBe(world().org.baseUrl);
    },
  ),
  row('2.1.2', 'where the app turns them on, tokens stand in the fragment alone', async () => {
    const app = await newOidcApp(world().org, { settings: ALL_RESPONSES });
    await assign(world().org, app, world().browser.userId);
    const changes = { response_type: 'token', response_mode: 'query' };
    const { headers } = await ask(world().browser.client, app, changes);
    expect(String(headers['location'])).toContain('#error=unsupported_response_mode');
  }),
];

describeProfile('RFC 9700: redirections', REDIRECTIONS);
describeProfile('RFC 9700: codes', CODES);
describeProfile('RFC 9700: grants', GRANTS);
describeProfile('RFC 9700: tokens', TOKENS);
describeProfile('RFC 9700: edges', EDGES);
