import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  answered,
  ask,
  type Browser,
  CALLBACK,
  type Changes,
  cookieOf,
  ERROR_PAGE,
  newBrowser,
  newOidcApp,
  newPkce,
  type OidcApp,
  requestOf,
  withCookies,
} from '../support/authorization.ts';
import { beforeTests } from '../support/before-tests.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import { claimsOf, newTestKey, postForm, signAssertion, type TestKey } from '../support/service-apps.ts';
import { useService } from '../support/use-service.ts';

/**
 * This file tests pushed authorization requests and signed request objects (RFC 9126, RFC 9101; attacks 72 and 73 in
 * docs/security-rows.md).
 */
const { service, org } = useService({ isShared: false });
let app: OidcApp;
let other: OidcApp;
let keyed: OidcApp;
let key: TestKey;
let browser: Browser;

const keyedApp = async (more: Readonly<Record<string, unknown>> = {}): Promise<OidcApp> =>
  newOidcApp(org, { authMethod: 'private_key_jwt', settings: { jwks: { keys: [key.jwk] }, ...more } });

beforeAll(async () => {
  key = newTestKey('ES256');
  [app, other, keyed] = [await newOidcApp(org), await newOidcApp(org), await keyedApp()];
  browser = await newBrowser(service, org, app);
  const assigned = [other, keyed].map((one) => newBrowser(service, org, one, { userId: browser.userId }));
  await Promise.all(assigned);
});

const PAR = '/oauth2/v1/par';
const basic = ({ id, secret = '' }: OidcApp) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

const push = (of: OidcApp, changes: Changes = {}, path = PAR, headers: Record<string, string> = basic(of)) =>
  postForm(org.anonymous, path, requestOf(of, changes), { headers });

const bring = (of: OidcApp, uri: string, more: Changes = {}, path?: string) => {
  const left = { redirect_uri: undefined, response_type: undefined, scope: undefined, state: undefined };
  return ask(browser.client, of, { ...left, request_uri: uri, ...more }, path);
};

describe('an app that pushes its requests', () => {
  const pushing = beforeTests(() => newOidcApp(org, { settings: { require_pushed_authorization_requests: true } }));

  beforeAll(async () => {
    await newBrowser(service, org, pushing, { userId: browser.userId });
  });

  test('has codes for these', async () => {
    const { body } = await push(pushing);
    expect(answered(await bring(pushing, body.request_uri)).parameters).toHaveProperty('code');
  });

  test('has them behind a sign-in too', async () => {
    const { body } = await push(pushing);
    const query = new URLSearchParams({ client_id: pushing.id, request_uri: body.request_uri });
    const response = await org.anonymous.get(`/oauth2/v1/authorize?${query.toString()}`);
    const flow = `__Host-flow=${cookieOf(response, '__Host-flow')}`;
    const resume = answered(response).parameters['fromURI'] ?? '';
    expect(answered(await withCookies(org, flow, browser.cookie).get(resume)).parameters).toHaveProperty('code');
  });

  test('has none for others, and is told so', async () => {
    const { parameters, to } = answered(await ask(browser.client, pushing));
    expect([to, parameters['error'], parameters['state']]).toEqual([CALLBACK, 'invalid_request', 'xyz']);
    const body = requestOf(pushing);
    const posted = answered(await postForm(browser.client, '/oauth2/v1/authorize', body)).parameters;
    expect(posted['error']).toBe('invalid_request');
  });

  test('says so in its settings, and as a registered client', async () => {
    const { body } = await org.admin.get(`/api/v1/apps/${pushing.id}`);
    expect(body.settings.oauthClient).toMatchObject({ require_pushed_authorization_requests: true });
    const client = await org.admin.get(`/oauth2/v1/clients/${pushing.id}`);
    expect(client.body).toMatchObject({ require_pushed_authorization_requests: true });
    const settings = { require_pushed_authorization_requests: 'yes' };
    await expect(newOidcApp(org, { settings })).rejects.toThrow();
  });
});

describe('a pushed request', () => {
  test('is good once, for what was pushed and nothing beside it', async () => {
    const pushed = await push(app, { ...newPkce().parameters, state: 'pushed' });
    expect(pushed).toMatchObject({ status: 201, body: { expires_in: 300 } });
    expect(pushed.body.request_uri).toMatch(/^urn:svc:[\w-]{43}$/);
    expect(pushed.headers['cache-control']).toContain('no-store');
    const { parameters } = answered(await bring(app, pushed.body.request_uri, { state: 'beside', scope: 'svc.x' }));
    expect(parameters).toMatchObject({ code: expect.any(String), state: 'pushed' });
    expect(await bring(app, pushed.body.request_uri)).toMatchObject(ERROR_PAGE);
  });

  test('of two browsers that bring it at once one has it', async () => {
    const { body } = await push(app);
    const answers = await Promise.all([1, 2, 3].map(() => bring(app, body.request_uri)));
    const codes = answers.filter(({ headers }) => String(headers['location']).includes('code='));
    expect(codes).toHaveLength(1);
  });

  test('goes on behind the sign-in of its user', async () => {
    const { body } = await push(app);
    const left = { redirect_uri: undefined, response_type: undefined, scope: undefined, state: undefined };
    const response = await ask(org.anonymous, app, { ...left, request_uri: body.request_uri });
    const flow = `__Host-flow=${cookieOf(response, '__Host-flow')}`;
    const resume = answered(response).parameters['fromURI'] ?? '';
    expect(answered(await withCookies(org, flow, browser.cookie).get(resume)).parameters).toHaveProperty('code');
    expect(await bring(app, body.request_uri)).toMatchObject(ERROR_PAGE);
  });

  test('is of its client, its server and its org alone', async () => {
    const { body } = await push(app);
    expect(await bring(other, body.request_uri)).toMatchObject(ERROR_PAGE);
    const server = await newCustomServer(org, { grantTypes: ['authorization_code'] });
    expect(await bring(app, body.request_uri, {}, `${server.oauth}/v1/authorize`)).toMatchObject(ERROR_PAGE);
    const at = await push(app, { scope: 'openid orders.read' }, `${server.oauth}/v1/par`);
    expect(at.status).toBe(201);
    expect(await bring(app, at.body.request_uri)).toMatchObject(ERROR_PAGE);
    const { parameters } = answered(await bring(app, at.body.request_uri, {}, `${server.oauth}/v1/authorize`));
    expect(parameters).toMatchObject({ code: expect.any(String), iss: server.issuer });
    expect(answered(await bring(app, body.request_uri)).parameters).toHaveProperty('code');
  });

  test('is over after five minutes', async () => {
    const { body } = await push(app);
    service.clock.advance(300_000);
    expect(await bring(app, body.request_uri)).toMatchObject(ERROR_PAGE);
  });

  test('needs the proof of its client', async () => {
    const wrong = { authorization: `Basic ${Buffer.from(`${app.id}:wrong`).toString('base64')}` };
    expect(await push(app, {}, PAR, wrong)).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect(await push(app, {}, PAR, {})).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    const mixed = await postForm(org.anonymous, `${PAR}?state=x`, requestOf(app), { headers: basic(app) });
    expect(mixed).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  test.each<[string, Changes, string]>([
    ['another redirect URI', { redirect_uri: 'https://evil.example/cb' }, 'invalid_request'],
    ['no redirect URI', { redirect_uri: undefined }, 'invalid_request'],
    ['a request URI', { request_uri: 'urn:svc:x' }, 'invalid_request'],
    ['a response type of nobody', { response_type: 'id_token', nonce: 'n' }, 'unsupported_response_type'],
    ['plain PKCE', { code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' }, 'invalid_request'],
    ['a prompt that is none', { prompt: 'x' }, 'invalid_request'],
  ])('with %s is refused at once', async (_name, changes, error) => {
    expect(await push(app, changes)).toMatchObject({ status: 400, body: { error } });
  });
});

describe('a signed request', () => {
  const claims = (of: OidcApp, changes: Readonly<Record<string, unknown>> = {}) => {
    const { sub: _, ...own } = claimsOf(org, of.id, org.now(), { aud: org.baseUrl });
    return { ...own, ...requestOf(of, { state: 'signed' }), ...changes };
  };
  const send = (of: OidcApp, request: string, more: Changes = {}) => {
    const left = { redirect_uri: undefined, response_type: undefined, scope: undefined, state: undefined };
    return ask(browser.client, of, { ...left, request, ...more });
  };

  test('is read, and wins over what stands beside it', async () => {
    const request = await signAssertion(key, claims(keyed), { typ: 'oauth-authz-req+jwt' });
    const { parameters } = answered(await send(keyed, request, { state: 'beside', scope: 'openid svc.users.manage' }));
    expect(parameters).toMatchObject({ code: expect.any(String), state: 'signed' });
  });

  test.each<[string, Readonly<Record<string, unknown>>, Changes]>([
    ['redirect_uri', { redirect_uri: undefined }, { redirect_uri: CALLBACK }],
    ['response_type', { response_type: undefined }, { response_type: 'code' }],
  ])('leaves %s out at its own cost: what stands beside it is not taken', async (_name, signed, beside) => {
    const response = await send(keyed, await signAssertion(key, claims(keyed, signed)), beside);
    expect(String(response.headers['location'] ?? '')).not.toContain('code=');
  });

  test('takes no challenge, nonce or mode that is not signed', async () => {
    const beside = { ...newPkce().parameters, nonce: 'n', response_mode: 'fragment' };
    const response = await send(keyed, await signAssertion(key, claims(keyed)), beside);
    expect(String(response.headers['location'])).toContain(`${CALLBACK}?code=`);
    const text = 'select nonce, code_challenge from authorization_codes where org_id = $1 and client_id = $2';
    const { rows } = await service.database.pool.query(text, [org.id, keyed.id]);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter((row) => row.nonce !== null || row.code_challenge !== null)).toEqual([]);
  });

  test('with an id is good once', async () => {
    const request = await signAssertion(key, claims(keyed));
    expect(answered(await send(keyed, request)).parameters).toHaveProperty('code');
    expect(answered(await send(keyed, request)).parameters).toMatchObject({ error: 'invalid_request_object' });
  });

  test('may be pushed', async () => {
    const assertion = await signAssertion(key, claimsOf(org, keyed.id, org.now(), { aud: `${org.baseUrl}${PAR}` }));
    const pushed = await postForm(org.anonymous, PAR, {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
      request: await signAssertion(key, claims(keyed)),
    });
    expect(pushed.status).toBe(201);
    expect(answered(await bring(keyed, pushed.body.request_uri)).parameters).toMatchObject({ state: 'signed' });
  });

  const hour = 3_600;
  const seconds = () => Math.floor(org.now().getTime() / 1_000);

  test.each<[string, () => Promise<string>]>([
    [
      'by no key',
      async () => `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{}').toString('base64url')}.`,
    ],
    ['by another key', async () => signAssertion(newTestKey('ES256'), claims(keyed), { kid: key.kid })],
    ['by a key of another name', async () => signAssertion(newTestKey('ES256'), claims(keyed))],
    [
      'by a MAC of the public key',
      async () =>
        new SignJWT({ ...claims(keyed) })
          .setProtectedHeader({ alg: 'HS256' })
          .sign(Buffer.from(key.publicKey.export({ format: 'pem', type: 'spki' }))),
    ],
    ['with a key of its own', async () => signAssertion(key, claims(keyed), { jwk: key.jwk })],
    ['with an address of keys', async () => signAssertion(key, claims(keyed), { jku: 'https://evil.example/keys' })],
    ['as an assertion', async () => signAssertion(key, claims(keyed), { typ: 'client-authentication+jwt' })],
    ['of another issuer', async () => signAssertion(key, claims(keyed, { iss: app.id }))],
    ['of another client', async () => signAssertion(key, claims(keyed, { client_id: app.id }))],
    ['for another audience', async () => signAssertion(key, claims(keyed, { aud: 'https://other.example' }))],
    ['that is over', async () => signAssertion(key, claims(keyed, { exp: seconds() - 1 }))],
    ['for more than an hour', async () => signAssertion(key, claims(keyed, { exp: seconds() + hour + 60 }))],
    ['of tomorrow', async () => signAssertion(key, claims(keyed, { nbf: seconds() + 24 * hour }))],
    ['with a request in it', async () => signAssertion(key, claims(keyed, { request: 'x' }))],
    ['encrypted', async () => 'eyJhbGciOiJSU0EtT0FFUCJ9.AAAA.AAAA.AAAA.AAAA'],
    ['without an end', async () => signAssertion(key, claims(keyed, { exp: undefined }))],
    ['with a number for a text', async () => signAssertion(key, claims(keyed, { nonce: 7 }))],
    ['with a list for a text', async () => signAssertion(key, claims(keyed, { ui_locales: ['de'] }))],
    ['with nothing for a text', async () => signAssertion(key, claims(keyed, { code_challenge: null }))],
    ['with half a number of seconds', async () => signAssertion(key, claims(keyed, { max_age: 1.5 }))],
    ['that says too much', async () => signAssertion(key, claims(keyed, { login_hint: 'x'.repeat(5_000) }))],
  ])('%s is refused, and nothing is fetched', async (_name, request) => {
    expect(await send(keyed, await request())).toMatchObject(ERROR_PAGE);
  });

  test('by another algorithm than the one that is registered', async () => {
    const strict = await keyedApp({ request_object_signing_alg: 'RS256' });
    expect(await send(strict, await signAssertion(key, claims(strict)))).toMatchObject(ERROR_PAGE);
  });

  test('beside the name of a pushed one', async () => {
    const request = await signAssertion(key, claims(keyed, { jti: randomUUID() }));
    expect(await send(keyed, request, { request_uri: `urn:svc:${'x'.repeat(43)}` })).toMatchObject(ERROR_PAGE);
  });
});
