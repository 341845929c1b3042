import { describe, expect, test } from 'vitest';
import {
  ALL_RESPONSES,
  AUTHORIZE,
  answered,
  ask,
  CALLBACK,
  type Changes,
  ERROR_PAGE,
  newBrowser,
  newOidcApp,
  newPkce,
  requestOf,
  withCookies,
} from '../support/authorization.ts';
import { beforeTests } from '../support/before-tests.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import { createProvider } from '../support/provider-requests.ts';
import { postForm } from '../support/service-apps.ts';
import { useService } from '../support/use-service.ts';

/** This file tests attacks 53, 55 to 57, 60 to 63, 71, 72 and 81 on authorization requests (docs/security-rows.md). */
const { service, org } = useService({ isShared: false });
const app = beforeTests(() => newOidcApp(org));
const browser = beforeTests(() => newBrowser(service, org, app));

const isPage = (response: Awaited<ReturnType<typeof ask>>): void => {
  expect(response).toMatchObject(ERROR_PAGE);
  expect(response.headers['location']).toBeUndefined();
  expect(response.headers).toMatchObject({ 'x-frame-options': 'DENY', 'referrer-policy': 'strict-origin' });
  expect(response.headers['content-security-policy']).toContain("frame-ancestors 'none'");
};

describe('before the redirect URI is proved an error is a page', () => {
  test.each<[string, Changes]>([
    ['no client', { client_id: undefined }],
    ['an unknown client', { client_id: '0oaunknown' }],
    ['a client id that is none', { client_id: "x' or 1=1" }],
    ['no redirect URI', { redirect_uri: undefined }],
    ['another redirect URI', { redirect_uri: 'https://evil.example/callback' }],
    ['one with something behind it', { redirect_uri: `${CALLBACK}/x` }],
    ['one with a query', { redirect_uri: `${CALLBACK}?next=https://evil.example` }],
    ['a script', { redirect_uri: 'javascript:alert(1)' }],
    [
      'an address for a request, and one to go to',
      { request_uri: 'https://a.example/', redirect_uri: 'https://b.example/' },
    ],
    ['a pushed request that is none', { request_uri: `urn:svc:${'x'.repeat(43)}` }],
    ['a request that is no JWT', { request: 'x' }],
    ['a state that is too long', { state: 'x'.repeat(4_097) }],
  ])('%s', async (_name, changes) => {
    isPage(await ask(browser.client, app, changes));
  });

  test('a parameter that comes twice', async () => {
    const query = new URLSearchParams(requestOf(app)).toString();
    for (const more of ['&state=xyz', '&redirect_uri=https://evil.example/', '&client_id=x', '&unknown=1&unknown=1']) {
      isPage(await browser.client.get(`${AUTHORIZE}?${query}${more}`));
    }
  });

  test('a form and a query at once', async () => {
    const response = await postForm(browser.client, `${AUTHORIZE}?state=other`, requestOf(app));
    isPage(response);
    expect(response.text).toContain('No query parameters are allowed.');
  });

  test('an inactive client', async () => {
    const other = await newOidcApp(org);
    await org.admin.post(`/api/v1/apps/${other.id}/lifecycle/deactivate`);
    isPage(await ask(browser.client, other));
  });

  test('an app that is no client', async () => {
    isPage(await ask(browser.client, { id: browser.userId }));
  });

  test('a custom server that is not there, or not active', async () => {
    isPage(await ask(browser.client, app, {}, '/oauth2/ausunknown/v1/authorize'));
    const server = await newCustomServer(org, { grantTypes: ['authorization_code'] });
    await org.admin.post(`${server.path}/lifecycle/deactivate`);
    isPage(await ask(browser.client, app, {}, `${server.oauth}/v1/authorize`));
  });

  test('nothing that was said is repeated as markup', async () => {
    const { text } = await ask(browser.client, app, { redirect_uri: '"><script>alert(1)</script>', state: '<b>' });
    expect(text).not.toMatch(/<script|<b>/);
  });
});

describe('another identity provider', () => {
  const REFUSED = {
    error: 'invalid_request',
    error_description: expect.stringMatching(/^Sign-in with another identity provider/),
  };

  test('is refused, as nobody can be sent there yet: known or not, signed in or not, by a form too', async () => {
    const { id } = await createProvider(org);
    for (const idp of [id, '0oa00000000000000000']) {
      expect(answered(await ask(browser.client, app, { idp }))).toMatchObject({ to: CALLBACK, parameters: REFUSED });
      expect(answered(await ask(org.anonymous, app, { idp })).parameters).toMatchObject(REFUSED);
    }
    const sent = await postForm(browser.client, AUTHORIZE, requestOf(app, { idp: id }));
    expect(answered(sent).parameters).toMatchObject(REFUSED);
  });

  test('but the org itself may be named', async () => {
    for (const idp of ['SVC', org.id]) {
      expect(answered(await ask(browser.client, app, { idp })).parameters).toHaveProperty('code');
    }
  });
});

describe('a redirect URI', () => {
  test('on the device of a native app may have another port', async () => {
    const settings = { redirect_uris: ['http://127.0.0.1/cb', 'com.example.app:/cb'] };
    const native = await newOidcApp(org, { applicationType: 'native', authMethod: 'none', settings });
    const { client } = await newBrowser(service, org, native);
    const pkce = newPkce().parameters;
    for (const uri of ['http://127.0.0.1:49152/cb', 'com.example.app:/cb']) {
      expect(answered(await ask(client, native, { ...pkce, redirect_uri: uri }))).toMatchObject({ to: uri });
    }
    for (const uri of [
      'http://localhost:49152/cb',
      'http://127.0.0.1:49152/cb2',
      'http://127.0.0.1:1@evil.example/cb',
    ]) {
      isPage(await ask(client, native, { ...pkce, redirect_uri: uri }));
    }
  });

  test('may have a star where the app has turned it on, in one label', async () => {
    const settings = { redirect_uris: ['https://*.apps.example/cb'], wildcard_redirect: 'SUBDOMAIN' };
    const wild = await newOidcApp(org, { settings });
    const { client } = await newBrowser(service, org, wild);
    const uri = 'https://one.apps.example/cb';
    expect(answered(await ask(client, wild, { redirect_uri: uri })).to).toBe(uri);
    for (const other of [
      'https://a.b.apps.example/cb',
      'https://evil.example/.apps.example/cb',
      'https://*.apps.example/cb',
    ]) {
      isPage(await ask(client, wild, { redirect_uri: other }));
    }
  });

  test('with a query of its own keeps it', async () => {
    const uri = 'https://app.example/cb?tenant=1';
    const queried = await newOidcApp(org, { settings: { redirect_uris: [uri] } });
    const { client } = await newBrowser(service, org, queried);
    const location = String((await ask(client, queried, { redirect_uri: uri })).headers['location']);
    expect(location).toMatch(/^https:\/\/app\.example\/cb\?tenant=1&code=/);
  });

  test('that is taken away is good no more', async () => {
    const other = await newOidcApp(org, { settings: { redirect_uris: [CALLBACK, 'https://old.example/cb'] } });
    const { client } = await newBrowser(service, org, other);
    expect((await ask(client, other, { redirect_uri: 'https://old.example/cb' })).status).toBe(303);
    const { body } = await org.admin.get(`/api/v1/apps/${other.id}`);
    body.settings.oauthClient.redirect_uris = [CALLBACK];
    expect((await org.admin.put(`/api/v1/apps/${other.id}`, { body })).status).toBe(200);
    isPage(await ask(client, other, { redirect_uri: 'https://old.example/cb' }));
  });
});

describe('then it goes to the client, with state and issuer', () => {
  test.each<[string, Changes, string]>([
    ['no response type', { response_type: undefined }, 'invalid_request'],
    ['a response type of its own making', { response_type: 'cookie' }, 'unsupported_response_type'],
    ['tokens that the app may not have', { response_type: 'token', nonce: 'n' }, 'unsupported_response_type'],
    ['a response mode that is none', { response_mode: 'jwt' }, 'unsupported_response_mode'],
    ['no state', { state: undefined }, 'invalid_request'],
    ['plain PKCE', { ...newPkce().parameters, code_challenge_method: 'plain' }, 'invalid_request'],
    ['PKCE without a method', { code_challenge: newPkce().parameters['code_challenge'] }, 'invalid_request'],
    [
      'a challenge of 42 characters',
      { code_challenge: 'x'.repeat(42), code_challenge_method: 'S256' },
      'invalid_request',
    ],
    ['a challenge of 129', { code_challenge: 'x'.repeat(129), code_challenge_method: 'S256' }, 'invalid_request'],
    ['a method without a challenge', { code_challenge_method: 'S256' }, 'invalid_request'],
    ['a prompt that is none', { prompt: 'always' }, 'invalid_request'],
    ['an address for a request', { request_uri: 'https://evil.example/request' }, 'request_uri_not_supported'],
    ['an internal one', { request_uri: 'http://169.254.169.254/latest' }, 'request_uri_not_supported'],
    ['prompts that exclude each other', { prompt: 'none login' }, 'invalid_request'],
    ['an age that is none', { max_age: 'young' }, 'invalid_request'],
    ['a hint that is no token', { id_token_hint: 'x' }, 'invalid_request'],
    ['no scope', { scope: undefined }, 'invalid_scope'],
    ['a scope that is not granted', { scope: 'openid svc.users.manage' }, 'invalid_scope'],
    ['a scope of nobody', { scope: 'openid orders.read' }, 'invalid_scope'],
    ['a profile of nobody', { scope: 'profile' }, 'invalid_scope'],
    ['an assurance out of reach', { acr_values: 'urn:svc:loa:2fa:any' }, 'access_denied'],
  ])('%s', async (_name, changes, error) => {
    const { parameters, to } = answered(await ask(browser.client, app, changes));
    expect(to).toBe(CALLBACK);
    const state = 'state' in changes ? {} : { state: 'xyz' };
    expect(parameters).toEqual({ error, error_description: expect.any(String), iss: org.baseUrl, ...state });
  });

  test('public clients, and those that ask for it, need PKCE', async () => {
    for (const given of [{ authMethod: 'none', applicationType: 'browser' }, { pkceRequired: true }]) {
      const other = await newOidcApp(org, given);
      const { client } = await newBrowser(service, org, other);
      expect(answered(await ask(client, other)).parameters).toMatchObject({
        error: 'invalid_request',
        error_description: 'PKCE code challenge is required by the application.',
      });
      expect(answered(await ask(client, other, newPkce().parameters)).parameters).toHaveProperty('code');
    }
  });

  test('tokens never go by a query, and an ID token needs a nonce', async () => {
    const other = await newOidcApp(org, { settings: ALL_RESPONSES });
    const { client } = await newBrowser(service, org, other);
    const byQuery = await ask(client, other, { response_type: 'id_token', response_mode: 'query', nonce: 'n' });
    expect(String(byQuery.headers['location'])).toMatch(
      /^https:\/\/app\.example\/callback#error=unsupported_response_mode/,
    );
    const bare = await ask(client, other, { response_type: 'code id_token' });
    expect(String(bare.headers['location'])).toMatch(/^https:\/\/app\.example\/callback#error=invalid_request/);
  });

  test('a user to whom the app is not assigned', async () => {
    const { client } = await newBrowser(service, org, null);
    expect(answered(await ask(client, app)).parameters).toMatchObject({
      error: 'access_denied',
      error_description: 'User is not assigned to the client application.',
    });
  });

  test('a custom server without a policy that fits', async () => {
    const server = await newCustomServer(org, { grantTypes: ['client_credentials'] });
    const path = `${server.oauth}/v1/authorize`;
    const { parameters } = answered(await ask(browser.client, app, { scope: 'openid' }, path));
    expect(parameters).toMatchObject({ error: 'access_denied', iss: server.issuer });
    const [event] = (await org.systemLog('eventType eq "app.oauth2.as.authorize.scope_denied_failure"')).slice(-1);
    expect(event).toMatchObject({ outcome: { result: 'FAILURE', reason: 'no_matching_policy' } });
    expect(answered(await ask(browser.client, app, { scope: 'openid x' }, path)).parameters['error']).toBe(
      'invalid_scope',
    );
  });

  test('an event tells of it', async () => {
    await ask(browser.client, app, { scope: 'openid orders.read' });
    const events = await org.systemLog('eventType eq "app.oauth2.authorize_failure"');
    expect(events.at(-1)).toMatchObject({
      severity: 'WARN',
      legacyEventType: 'app.oauth2.authorize',
      outcome: { result: 'FAILURE', reason: 'invalid_scope' },
      target: [{ id: app.id, type: 'PublicClientApp' }],
    });
  });
});

describe('a request that goes on', () => {
  const begin = async () => {
    const response = await ask(org.client({ accept: 'text/html' }), app);
    const flow = /__Host-flow=[^;]+/.exec(String(response.headers['set-cookie']))?.[0] ?? '';
    return { flow, resume: answered(response).parameters['fromURI'] ?? '' };
  };

  test.each<[string, (flow: string, other: string) => string[]]>([
    ['without the cookie', () => []],
    ["with another browser's", (_flow, other) => [other]],
    ['with two of them', (flow, other) => [flow, other]],
    ['with the same twice', (flow) => [flow, flow]],
    ['with a broken one', (flow) => [`${flow}x`]],
    ['with a name that another host could set', (flow) => [flow.replace('__Host-', '')]],
  ])('%s is of nobody', async (_name, cookiesOf) => {
    const [{ flow, resume }, other] = [await begin(), await begin()];
    isPage(await withCookies(org, ...cookiesOf(flow, other.flow), browser.cookie).get(resume));
    expect(answered(await withCookies(org, flow, browser.cookie).get(resume)).parameters).toHaveProperty('code');
  });

  test('has a name that nobody guesses', async () => {
    const { flow } = await begin();
    for (const id of ['', 'x', 'A'.repeat(43)]) {
      isPage(await withCookies(org, flow, browser.cookie).get(`${AUTHORIZE}/resume?request=${id}`));
    }
    isPage(await withCookies(org, flow, browser.cookie).get(`${AUTHORIZE}/resume`));
  });
});
