import { createHash } from 'node:crypto';
import { decodeProtectedHeader } from 'jose';
import { expect } from 'vitest';
import { CALLBACK, type Changes, newPkce } from '../support/authorization.ts';
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
  verifiedClaims,
  withApp,
} from '../support/conformance.ts';
import { claimsOf, newTestKey, postForm, signAssertion } from '../support/service-apps.ts';
import { payloadOf, redeem, refresh } from '../support/user-tokens.ts';

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

const idTokenTo = async (changes: Changes = {}) =>
  verifiedClaims(world().org, (await tokensTo(world(), changes)).id_token);

const isOnlyTold = async (scope: string, names: readonly string[]): Promise<void> => {
  const { access_token: token } = await tokensTo(world(), { scope: `openid ${scope}` });
  const { body } = await userinfo(world().org, token);
  expect(Object.keys(body)).toEqual(expect.arrayContaining(['sub', ...names]));
  const others = ['email', 'phone_number', 'address', 'name'].filter((name) => !names.includes(name));
  expect(others.filter((name) => name in body)).toEqual([]);
};

const codeOf = async () => {
  const { parameters, verifier } = newPkce();
  const { code = '' } = await answerTo(world(), parameters);
  return { code, verifier };
};
const INVALID_GRANT = { status: 400, body: { error: 'invalid_grant' } };

const TOKENS = [
  row('3.1.3.2', 'a code is good once', async () => {
    const [{ app, org }, code] = [world(), await codeOf()];
    expect((await redeem(org, app, code)).status).toBe(200);
    expect(await redeem(org, app, code)).toMatchObject(INVALID_GRANT);
  }),
  row('3.1.3.2; RFC 6749 4.1.2', 'a code that comes again, 30 seconds later, ends what it gave', async () => {
    const [{ app, org, service }, code] = [world(), await codeOf()];
    const { body } = await redeem(org, app, code);
    service.clock.advance(30_000);
    expect(await redeem(org, app, code)).toMatchObject(INVALID_GRANT);
    service.clock.advance(FORGOTTEN_MILLISECONDS);
    expect((await userinfo(org, body.access_token)).status).toBe(401);
  }),
  row('3.1.3.2', 'a code is its client’s alone', async () => {
    const { app } = await withApp(world());
    expect(await redeem(world().org, app, await codeOf())).toMatchObject(INVALID_GRANT);
  }),
  row('3.1.3.2', 'redirect_uri is that of the request', async () => {
    const changes = { redirect_uri: `${CALLBACK}/x` };
    expect(await redeem(world().org, world().app, await codeOf(), changes)).toMatchObject(INVALID_GRANT);
  }),
  row('3.1.3.2', 'the client is authenticated', async () => {
    const { app, org } = world();
    const answer = await redeem(org, { ...app, secret: 'x'.repeat(64) }, await codeOf());
    expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect(answer.headers['www-authenticate']).toMatch(/^Basic/);
  }),
  row(
    '3.1.3.3',
    'the answer is JSON with access_token, token_type, expires_in and id_token, for no cache',
    async () => {
      const answer = await redeemed(world());
      const token = expect.any(String);
      const body = { access_token: token, token_type: 'Bearer', expires_in: 3_600, id_token: token };
      expect(answer).toMatchObject({ status: 200, body });
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
      expect(answer.headers).toMatchObject({
        'cache-control': expect.stringContaining('no-store'),
        pragma: 'no-cache',
      });
    },
  ),
  row('3.1.3.4', 'an error is 400 in JSON', async () => {
    const answer = await redeem(world().org, world().app, { code: 'x', verifier: 'x'.repeat(43) });
    expect(answer).toMatchObject(INVALID_GRANT);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
  }),
  row('9', 'client_secret_basic, client_secret_post and public clients', async () => {
    for (const authMethod of ['client_secret_basic', 'client_secret_post', 'none']) {
      const own = await withApp(world(), { authMethod, applicationType: authMethod === 'none' ? 'browser' : 'web' });
      const { app, org } = own;
      const { parameters, verifier } = newPkce();
      const { code = '' } = await answerTo(own, parameters);
      const form = authMethod === 'client_secret_post' ? { client_id: app.id, client_secret: app.secret } : {};
      const as = authMethod === 'client_secret_post' ? { ...app, secret: undefined } : app;
      expect((await redeem(org, as, { code, verifier }, form)).status).toBe(200);
    }
  }),
  row('9', 'private_key_jwt with the token endpoint as audience', async () => {
    const key = newTestKey('RS256');
    const settings = { ...REFRESHABLE, jwks: { keys: [key.jwk] } };
    const own = await withApp(world(), { authMethod: 'private_key_jwt', settings });
    const assertion = await signAssertion(key, claimsOf(own.org, own.app.id, own.org.now()));
    const form = {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
      client_id: undefined,
    };
    expect((await redeemed(own, {}, form)).status).toBe(200);
  }),
];

const ID_TOKENS = [
  row('2, 3.1.3.6', 'the ID token says iss, sub, aud, exp and iat', async () => {
    const { app, browser, org } = world();
    const claims = await idTokenTo();
    expect(claims).toMatchObject({ iss: org.baseUrl, sub: browser.userId, aud: app.id });
    expect(claims.sub?.length).toBeLessThanOrEqual(255);
    expect(Number(claims.exp)).toBeGreaterThan(Number(claims.iat));
  }),
  row('3.1.3.7', 'iss is the issuer of discovery, and azp the client where there is one', async () => {
    const { body } = await world().org.anonymous.get('/.well-known/openid-configuration');
    const { azp = world().app.id, iss } = await idTokenTo();
    expect([iss, azp]).toEqual([body.issuer, world().app.id]);
  }),
  row('3.1.3.7, 10.1, 15.1', 'it is signed by RS256, by a key of jwks_uri that its kid names', async () => {
    const { id_token: token } = await tokensTo(world());
    const { alg, kid } = decodeProtectedHeader(token);
    const { body } = await world().org.anonymous.get('/oauth2/v1/keys');
    expect(alg).toBe('RS256');
    expect(body.keys.filter((key: { kid: string }) => key.kid === kid)).toHaveLength(1);
    await verifiedClaims(world().org, token);
  }),
  row('3.1.3.6', 'at_hash is the left half of the hash of the access token', async () => {
    const { access_token: access, id_token: id } = await tokensTo(world());
    const half = createHash('sha256').update(access).digest().subarray(0, 16).toString('base64url');
    expect(payloadOf(id).at_hash).toBe(half);
  }),
  row('8', 'sub is the same for every client, as subject_types_supported says', async () => {
    const { id_token: token } = await tokensTo(await withApp(world()));
    expect(payloadOf(token).sub).toBe((await idTokenTo()).sub);
  }),
];

const CLAIMS = [
  row('5.3.1', 'userinfo by GET with the token in the header', async () => {
    const { access_token: token } = await tokensTo(world());
    expect(await userinfo(world().org, token)).toMatchObject({ status: 200, body: { sub: world().browser.userId } });
  }),
  row('5.3.1', 'userinfo by POST with the token in the header', async () => {
    const { access_token: token } = await tokensTo(world());
    const answer = await world()
      .org.client({ authorization: `Bearer ${token}` })
      .post(USERINFO);
    expect(answer).toMatchObject({ status: 200, body: { sub: world().browser.userId } });
  }),
  row('5.3.1', 'userinfo by POST with the token in the form', async () => {
    const { access_token } = await tokensTo(world());
    expect((await postForm(world().org.anonymous, USERINFO, { access_token })).status).toBe(200);
  }),
  row('5.3.2', 'userinfo is JSON, and its sub that of the ID token', async () => {
    const { access_token: access, id_token: id } = await tokensTo(world());
    const answer = await userinfo(world().org, access);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.body.sub).toBe(payloadOf(id).sub);
  }),
  row('5.3.3', 'userinfo refuses with WWW-Authenticate', async () => {
    const answer = await userinfo(world().org, 'x');
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer .*error="invalid_token"/);
  }),
  row('5.4', 'profile', () => isOnlyTold('profile', ['name', 'given_name', 'family_name', 'updated_at', 'locale'])),
  row('5.4', 'email', () => isOnlyTold('email', ['email', 'email_verified'])),
  row('5.4', 'phone', () => isOnlyTold('phone', ['phone_number'])),
  row('5.4', 'address', () => isOnlyTold('address', ['address'])),
  row('5.4', 'all of them at once', () =>
    isOnlyTold('profile email phone address', ['name', 'email', 'phone_number', 'address']),
  ),
  row('5.1', 'claims are of the types that are told', async () => {
    const { access_token: token } = await tokensTo(world(), { scope: 'openid profile email address' });
    expect((await userinfo(world().org, token)).body).toMatchObject({
      email_verified: expect.any(Boolean),
      updated_at: expect.any(Number),
      address: { locality: 'London' },
    });
  }),
];

const again = async (form: Changes = {}) => {
  const { app, org, service } = world();
  const scope = 'openid offline_access';
  const first = await tokensTo(world(), { scope, nonce: 'n', max_age: '100000' });
  service.clock.advance(2_000);
  const answer = await refresh(org, app, first.refresh_token, form);
  return { first: payloadOf(first.id_token), answer };
};

const OFFLINE = [
  row('11', 'offline_access gives a refresh token, and only it', async () => {
    expect(await tokensTo(world(), { scope: 'openid offline_access' })).toHaveProperty('refresh_token');
    expect(await tokensTo(world())).not.toHaveProperty('refresh_token');
  }),
  row('12.2', 'a refreshed ID token has the same iss, sub, aud and auth_time, a new iat, and no nonce', async () => {
    const { answer, first } = await again();
    const second = await verifiedClaims(world().org, answer.body.id_token);
    const { aud, auth_time, iss, sub } = first;
    expect(second).toMatchObject({ aud, auth_time, iss, sub });
    expect(Number(second.iat)).toBeGreaterThan(first.iat);
    expect([undefined, 'n']).toContain(second['nonce']);
  }),
  row('12.1', 'a refresh token is its client’s alone', async () => {
    const { app } = await withApp(world());
    const { refresh_token: token } = await tokensTo(world(), { scope: 'openid offline_access' });
    expect(await refresh(world().org, app, token)).toMatchObject(INVALID_GRANT);
  }),
];

describeProfile('OpenID Connect Core: tokens', TOKENS);
describeProfile('OpenID Connect Core: ID tokens', ID_TOKENS);
describeProfile('OpenID Connect Core: userinfo and claims', CLAIMS);
describeProfile('OpenID Connect Core: offline access', OFFLINE);
