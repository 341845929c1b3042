import { expect } from 'vitest';
import {
  AUTHORIZE,
  ageSignIns,
  answered,
  ask,
  CALLBACK,
  type Changes,
  cookieOf,
  ERROR_PAGE,
  newBrowser,
  newPkce,
  post,
  requestOf,
  withCookies,
} from '../support/authorization.ts';
import {
  answerTo,
  describeProfile,
  openWorld,
  REFRESHABLE,
  row,
  tokensTo,
  unmet,
  verifiedClaims,
  withApp,
} from '../support/conformance.ts';
import { redeem } from '../support/user-tokens.ts';

const PROFILE = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  primaryPhone: '+44 20 1234',
  city: 'London',
  locale: 'en_GB',
  timezone: 'Europe/London',
};

// This file tests requirements of OpenID Connect Core 1.0 for the Basic OP profile (`response_type=code`).

const world = openWorld({ profile: PROFILE });

const isCode = async (changes: Changes): Promise<void> =>
  expect(await answerTo(world(), changes)).toMatchObject({ code: expect.any(String), state: 'xyz' });

const isError = async (changes: Changes, error: string): Promise<void> =>
  expect(await answerTo(world(), changes)).toMatchObject({ error, state: 'xyz', iss: world().org.baseUrl });

const idTokenTo = async (changes: Changes = {}) =>
  verifiedClaims(world().org, (await tokensTo(world(), changes)).id_token);

/** Returns where a request leads `milliseconds` after a sign-in, and the ID token's claims after another sign-in. */
async function signInAgain(changes: Changes, milliseconds: number) {
  const { app, browser, org, service } = world();
  const first = await newBrowser(service, org, null, { userId: browser.userId });
  await ageSignIns(service, org, browser.userId, milliseconds / 1_000);
  service.clock.advance(milliseconds);
  const { parameters, verifier } = newPkce();
  const response = await ask(first.client, app, { ...changes, ...parameters });
  const { parameters: toSignIn, to } = answered(response);
  service.clock.advance(1_000);
  const { cookie } = await newBrowser(service, org, null, { userId: browser.userId });
  const flow = `__Host-flow=${cookieOf(response, '__Host-flow')}`;
  const { code = '' } = answered(await withCookies(org, flow, cookie).get(toSignIn['fromURI'] ?? '')).parameters;
  const { body } = await redeem(org, app, { code, verifier });
  return { to, claims: await verifiedClaims(org, body.id_token) };
}

const REQUESTS = [
  row('3.1.2.1', 'a request comes by GET', () => isCode({})),
  row('3.1.2.1', 'a request comes by POST of a form', async () => {
    const { app, browser } = world();
    expect(answered(await post(browser.client, app)).parameters).toHaveProperty('code');
  }),
  row('3.1.2.1', 'without the scope openid there is no ID token', async () => {
    const granted = await withApp(world(), { scopes: ['svc.users.read'] });
    expect(await tokensTo(granted, { scope: 'svc.users.read' })).not.toHaveProperty('id_token');
  }),
  row('3.1.2.1', 'scopes come in any order', async () => {
    expect(await tokensTo(world(), { scope: 'email openid' })).toHaveProperty('id_token');
  }),
  row('3.1.2.1', 'response_type is required', () => isError({ response_type: undefined }, 'invalid_request')),
  row('3.1.2.1', 'client_id is required', async () => {
    const { app, browser } = world();
    expect(await ask(browser.client, app, { client_id: undefined })).toMatchObject(ERROR_PAGE);
  }),
  row('3.1.2.1', 'redirect_uri is required, though one alone is registered', async () => {
    const { app, browser } = world();
    expect(await ask(browser.client, app, { redirect_uri: undefined })).toMatchObject(ERROR_PAGE);
  }),
  row('3.1.2.1', 'redirect_uri is a registered one, character by character', async () => {
    const { app, browser } = world();
    for (const uri of [`${CALLBACK}/`, `${CALLBACK}?x=1`, CALLBACK.toUpperCase(), 'https://evil.example/callback']) {
      const response = await ask(browser.client, app, { redirect_uri: uri });
      expect(response).toMatchObject(ERROR_PAGE);
      expect(response.headers['location']).toBeUndefined();
    }
  }),
  row('3.1.2.1', 'a registered redirect_uri with a query is kept whole', async () => {
    const uri = 'https://app.example/cb?foo=bar';
    const own = await withApp(world(), { settings: { ...REFRESHABLE, redirect_uris: [uri] } });
    const response = await ask(own.browser.client, own.app, { redirect_uri: uri });
    expect(String(response.headers['location'])).toMatch(/^https:\/\/app\.example\/cb\?foo=bar&code=/);
  }),
  row('3.1.2.1', 'the nonce stands in the ID token as it was sent', async () => {
    expect((await idTokenTo({ nonce: 'n ~"ä&=' })).nonce).toBe('n ~"ä&=');
  }),
  row('3.1.2.1', 'a nonce is not needed for a code, and none is told then', async () => {
    expect(await idTokenTo()).not.toHaveProperty('nonce');
  }),
  ...['page', 'popup', 'touch', 'wap'].map((display) =>
    row('3.1.2.1, 15.1', `display=${display} is no error`, () => isCode({ display })),
  ),
  row('3.1.2.1, 15.1', 'ui_locales and claims_locales are no error', () =>
    isCode({ ui_locales: 'se fr-CA en', claims_locales: 'se' }),
  ),
  row('3.1.2.1, 15.1', 'acr_values that the provider announces are no error', async () => {
    const { body } = await world().org.anonymous.get('/.well-known/openid-configuration');
    await isCode({ acr_values: body.acr_values_supported.join(' ') });
  }),
  row('3.1.2.1, 15.1', 'acr_values of others are a wish', () => isCode({ acr_values: 'urn:mace:incommon:iap:silver' })),
  row('3.1.2.1', 'prompt=none shows nothing: a code for whom is signed in', () => isCode({ prompt: 'none' })),
  row('3.1.2.1', 'prompt=none is login_required for whom is not', async () => {
    const response = await ask(world().org.anonymous, world().app, { prompt: 'none' });
    expect(answered(response)).toMatchObject({ to: CALLBACK, parameters: { error: 'login_required', state: 'xyz' } });
  }),
  row('3.1.2.1', 'prompt=none with another prompt is an error', () =>
    isError({ prompt: 'none login' }, 'invalid_request'),
  ),
  row('3.1.2.1, 15.1', 'prompt=login asks whoever is signed in, and auth_time is that of the answer', async () => {
    const before = await idTokenTo({ max_age: '100000' });
    const { claims, to } = await signInAgain({ prompt: 'login' }, 5_000);
    expect(to).toBe('/signin');
    expect(Number(claims['auth_time'])).toBeGreaterThan(Number(before['auth_time']));
  }),
  row('3.1.2.1', 'prompt=select_account lets whoever is signed in choose another account', async () => {
    const response = await ask(world().browser.client, world().app, { prompt: 'select_account' });
    expect(answered(response)).toMatchObject({ to: '/signin', parameters: { reauthenticate: 'true' } });
  }),
  row('3.1.2.1, 15.1', 'max_age asks again when the sign-in is older', async () => {
    const { claims, to } = await signInAgain({ max_age: '1' }, 3_000);
    expect([to, typeof claims['auth_time']]).toEqual(['/signin', 'number']);
  }),
  row('3.1.2.1, 15.1', 'max_age asks nobody within it, and auth_time tells when it was', async () => {
    const [first, second] = [await idTokenTo({ max_age: '10000' }), await idTokenTo({ max_age: '10000' })];
    expect(first['auth_time']).toEqual(expect.any(Number));
    expect(second['auth_time']).toBe(first['auth_time']);
  }),
  row('3.1.2.1', 'id_token_hint of whom is signed in goes on without a prompt', async () => {
    const { id_token: hint } = await tokensTo(world());
    await isCode({ prompt: 'none', id_token_hint: hint });
  }),
  row('3.1.2.2', 'id_token_hint of somebody else is login_required without a prompt', async () => {
    const { app, org, service } = world();
    const other = await newBrowser(service, org, app);
    const { id_token: hint } = await tokensTo({ ...world(), browser: other });
    await isError({ prompt: 'none', id_token_hint: hint }, 'login_required');
  }),
  row('3.1.2.1', 'login_hint is handed to the page', async () => {
    const response = await ask(world().org.anonymous, world().app, { login_hint: 'ada@example.com' });
    expect(answered(response).parameters['login_hint']).toBe('ada@example.com');
  }),
  row('3.1.2.1', 'parameters that are not understood are ignored', () => isCode({ extra: 'foobar' })),
  row('3.1.2.2; RFC 6749 3.1', 'no parameter comes twice', async () => {
    const { app, browser } = world();
    const query = new URLSearchParams(requestOf(app)).toString();
    expect(await browser.client.get(`${AUTHORIZE}?${query}&scope=openid`)).toMatchObject(ERROR_PAGE);
  }),
  row('5.5', 'claims is not announced, and no error', async () => {
    const { body } = await world().org.anonymous.get('/.well-known/openid-configuration');
    expect(body.claims_parameter_supported ?? false).toBe(false);
    await isCode({ claims: JSON.stringify({ userinfo: { name: { essential: true } } }) });
  }),
  row('6.1', 'an unsigned request object is refused, in the words for it', async () => {
    const { app, browser } = world();
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const request = `${encode({ alg: 'none' })}.${encode({ client_id: app.id })}.`;
    expect(await ask(browser.client, app, { request })).toMatchObject(ERROR_PAGE);
  }),
  row('6.2', 'request_uri answers request_uri_not_supported', () =>
    isError({ request_uri: 'https://app.example/request.jwt' }, 'request_uri_not_supported'),
  ),
  row('3.1.2.5', 'code and state go back by query', async () => {
    const { app, browser } = world();
    const location = String((await ask(browser.client, app, { state: 'a b&c=ä' })).headers['location']);
    const { origin, pathname, searchParams } = new URL(location);
    expect([origin + pathname, searchParams.get('state')]).toEqual([CALLBACK, 'a b&c=ä']);
  }),
  row('3.1.2.6', 'an error goes back with state', () =>
    isError({ response_type: 'cookie' }, 'unsupported_response_type'),
  ),
];

const NOT_MET = [
  unmet('3.1.2.1', 'state is recommended, not required', 'required where no code challenge protects: ADR 0036', () =>
    answerTo(world(), { state: undefined }).then((answer) => expect(answer).toHaveProperty('code')),
  ),
  unmet('15.1', 'acr_values are never an error', 'a step-up that silently is none is worse: ADR 0036', () =>
    isCode({ acr_values: 'urn:svc:loa:2fa:any' }),
  ),
];

describeProfile('OpenID Connect Core: requests', REQUESTS, NOT_MET);
