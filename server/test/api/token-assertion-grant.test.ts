import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { assertUser, JWT_BEARER, newAsserter, sendAssertion, userClaims } from '../support/assertion-grant.ts';
import { newOidcApp } from '../support/authorization.ts';
import { beforeTests } from '../support/before-tests.ts';
import { good, newCustomServer, sendAs } from '../support/custom-servers.ts';
import { type Claims, newTestKey, type ServiceApp, signAssertion } from '../support/service-apps.ts';
import { useService } from '../support/use-service.ts';
import { newProofKey, payloadOf, requestTokens, withProof } from '../support/user-tokens.ts';

const { service, org } = useService();
const server = beforeTests(() => newCustomServer(org, { grantTypes: [JWT_BEARER, 'client_credentials'] }));
let app: ServiceApp;
let userId: string;
let login: string;

beforeAll(async () => {
  const user = await org.createUser({ credentials: { password: { value: 'Correct-1-Horse' } } });
  userId = user.id;
  login = user.profile.login;
  app = await newAsserter(org, [userId]);
});

const INVALID = { status: 400, body: { error: 'invalid_grant' } };

async function send(changes: Claims, header: Claims = {}, as: ServiceApp = app) {
  const assertion = await signAssertion(as.key, userClaims(org, server, as, login, changes), header);
  return sendAssertion(org, server, as, assertion);
}

const inSeconds = (seconds: number): number => Math.floor(org.now().getTime() / 1_000) + seconds;

describe('an assertion', () => {
  test.each([
    ['login', () => login],
    ['id', () => userId],
  ])('about a user by his %s is good for a token about him', async (_, subject) => {
    const { body, status } = await assertUser(org, server, app, subject());
    expect(status).toBe(200);
    expect(body).toEqual({
      token_type: 'Bearer',
      expires_in: 1_800,
      access_token: expect.any(String),
      id_token: expect.any(String),
      scope: 'openid orders.read',
    });
    const act = { iss: server.issuer, sub: app.id };
    expect(payloadOf(body.access_token)).toMatchObject({
      uid: userId,
      cid: app.id,
      sub: login,
      aud: 'api://orders',
      act,
    });
    expect(payloadOf(body.id_token)).toMatchObject({ sub: userId, aud: app.id, act });
  });

  test('may name the endpoint in place of the server', async () => {
    expect((await send({ aud: `${server.issuer}/v1/token` })).status).toBe(200);
  });

  test('begins no refresh token', async () => {
    const { body } = await assertUser(org, server, app, login, { scope: 'openid offline_access' });
    expect(body.access_token).toBeDefined();
    expect(body).not.toHaveProperty('refresh_token');
  });

  test('security 8: does not say that the user was there, whatever it says of time', async () => {
    for (const changes of [{}, { iat: inSeconds(-600), auth_time: inSeconds(-600), amr: ['pwd'] }]) {
      const { access_token: access, id_token: id } = (await send(changes)).body;
      for (const claims of [payloadOf(access), payloadOf(id)]) {
        expect(claims).not.toHaveProperty('auth_time');
        expect(claims).not.toHaveProperty('amr');
        expect(claims).not.toHaveProperty('sid');
      }
    }
  });

  test('is told to the log', async () => {
    const own = await newAsserter(org, [userId]);
    await good(assertUser(org, server, own, login));
    const [event] = await org.systemLog(
      `eventType eq "app.oauth2.as.token.grant.access_token" and target.id eq "${own.id}"`,
    );
    expect(event).toMatchObject({
      actor: { id: own.id },
      debugContext: { debugData: { grantType: JWT_BEARER, clientAuthType: 'private_key_jwt' } },
    });
  });

  test('gives tokens of a key where the app binds them', async () => {
    const bound = await newAsserter(org, [userId], { dpop_bound_access_tokens: true });
    const key = await newProofKey(service);
    const path = `${server.oauth}/v1/token`;
    const { body } = await withProof(org, key, path, async (headers) => {
      const assertion = await signAssertion(bound.key, userClaims(org, server, bound, login));
      const form = { grant_type: JWT_BEARER, scope: 'openid', assertion };
      return sendAs(org, bound, 'private_key_jwt', path, form, headers);
    });
    expect(payloadOf(body.access_token).cnf).toEqual({ jkt: key.jkt });
  });
});

describe('an assertion is refused', () => {
  test.each<[string, () => Claims]>([
    ['without an end', () => ({ exp: undefined })],
    ['that is over', () => ({ exp: inSeconds(-1) })],
    ['that ends in more than an hour', () => ({ exp: inSeconds(3_700) })],
    ['that is not good yet', () => ({ nbf: inSeconds(120) })],
    ['that was made in the future', () => ({ iat: inSeconds(120) })],
    ['with a strange id', () => ({ jti: 7 })],
    ['without a subject', () => ({ sub: undefined })],
    ['about nobody', () => ({ sub: '' })],
    ['about a number', () => ({ sub: 7 })],
    ['about a stranger', () => ({ sub: 'nobody@example.com' })],
    ['about a stranger by id', () => ({ sub: '00u00000000000000000' })],
    ['about a name without end', () => ({ sub: 'a'.repeat(300) })],
    ['for nobody', () => ({ aud: undefined })],
    ['for another server', () => ({ aud: `${org.baseUrl}/oauth2/default` })],
    ["for the org's own server", () => ({ aud: org.baseUrl })],
    ['for another endpoint', () => ({ aud: `${server.issuer}/v1/introspect` })],
    ['for somebody else', () => ({ aud: 'https://evil.example' })],
    ['for two', () => ({ aud: [server.issuer, 'https://evil.example'] })],
  ])('%s', async (_, changes) => {
    expect(await send(changes())).toMatchObject(INVALID);
  });

  test('of the app about itself, as which it proves itself', async () => {
    expect(await send({ sub: app.id })).toMatchObject(INVALID);
  });

  test.each<[string, () => Claims]>([
    ['another issuer', () => ({ iss: 'https://evil.example' })],
    ['no issuer', () => ({ iss: undefined })],
    ['a user as issuer', () => ({ iss: userId })],
  ])('with %s', async (_, changes) => {
    expect(await send(changes())).toMatchObject({ status: 401, body: { error: 'invalid_token' } });
  });

  test('of another app, which may speak for the user itself', async () => {
    const other = await newAsserter(org, [userId]);
    const assertion = await signAssertion(other.key, userClaims(org, server, other, login));
    expect(await sendAssertion(org, server, app, assertion)).toMatchObject({
      status: 401,
      body: { error: 'invalid_token' },
    });
  });

  test.each<[string, Claims]>([
    ['another type', { typ: 'logout+jwt' }],
    ['the type of proofs of clients', { typ: 'client-authentication+jwt' }],
    ['a key of its own', { jwk: { kty: 'EC' } }],
    ['an address of a key', { jku: 'https://evil.example/keys' }],
    ['an unknown key', { kid: randomUUID() }],
  ])('row 67: with %s in its header', async (_, header) => {
    expect(await send({}, header)).toMatchObject(INVALID);
  });

  test('row 67: that another key has signed, or none, or a secret', async () => {
    const claims = userClaims(org, server, app, login);
    const other = { ...newTestKey('ES256'), kid: app.key.kid };
    const secret = new SignJWT({ ...claims }).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.alloc(64, 1));
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    const unsigned = `${encode({ alg: 'none' })}.${encode(claims)}.`;
    for (const assertion of [await signAssertion(other, claims), await secret, unsigned, 'none']) {
      expect(await sendAssertion(org, server, app, assertion)).toMatchObject(INVALID);
    }
  });

  test('that was used, whether it has an id or not; of two at once one is good', async () => {
    for (const changes of [{}, { jti: undefined }]) {
      const assertion = await signAssertion(app.key, userClaims(org, server, app, login, changes));
      const answers = await Promise.all([1, 2].map(() => sendAssertion(org, server, app, assertion)));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
      expect(await sendAssertion(org, server, app, assertion)).toMatchObject({
        ...INVALID,
        body: { error_description: 'The jti of the JWT Bearer Grant was already used.' },
      });
    }
  });

  test('by which the app proves itself, or the other way round', async () => {
    const jti = randomUUID();
    expect((await send({ jti })).status).toBe(200);
    const path = `${server.oauth}/v1/token`;
    const own = await signAssertion(app.key, userClaims(org, server, app, app.id, { aud: org.baseUrl + path, jti }));
    expect(await sendAssertion(org, server, app, own)).toMatchObject(INVALID);
    const about = await signAssertion(app.key, userClaims(org, server, app, login, { aud: org.baseUrl + path }));
    const form = { grant_type: JWT_BEARER, assertion: about, client_assertion: about };
    expect(await sendAs(org, app, 'private_key_jwt', path, form)).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
  });
});

describe('a request is refused', () => {
  test('without an assertion, or with one in its address', async () => {
    const path = `${server.oauth}/v1/token`;
    const form = { grant_type: JWT_BEARER, scope: 'openid' };
    const refused = { status: 400, body: { error: 'invalid_request' } };
    expect(await sendAs(org, app, 'private_key_jwt', path, form)).toMatchObject(refused);
    expect(await sendAs(org, app, 'private_key_jwt', `${path}?assertion=x`, form)).toMatchObject(refused);
  });

  test('of an app that may not do so, or has no key', async () => {
    const plain = await newAsserter(org, [userId], { grant_types: ['authorization_code'] });
    expect(await assertUser(org, server, plain, login)).toMatchObject({
      status: 400,
      body: { error: 'unauthorized_client' },
    });
    const keyless = await newOidcApp(org, { settings: { grant_types: ['authorization_code', JWT_BEARER] } });
    const own = { ...app, id: keyless.id };
    const assertion = await signAssertion(app.key, userClaims(org, server, own, login));
    const form = { grant_type: JWT_BEARER, scope: 'openid', assertion };
    expect(await requestTokens(org, keyless, form, { path: `${server.oauth}/v1/token` })).toMatchObject({
      ...INVALID,
      body: { error_description: expect.stringContaining('JWKSet') },
    });
  });

  test('of an app that proves nothing', async () => {
    const open = await newOidcApp(org, {
      authMethod: 'none',
      applicationType: 'native',
      settings: { grant_types: ['authorization_code', JWT_BEARER] },
    });
    const form = { grant_type: JWT_BEARER, scope: 'openid', assertion: 'x' };
    expect(await requestTokens(org, open, form, { path: `${server.oauth}/v1/token` })).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
  });

  test("at the org's own server, whose tokens open the API", async () => {
    const path = '/oauth2/v1/token';
    const assertion = await signAssertion(app.key, userClaims(org, { issuer: org.baseUrl }, app, login));
    const form = { grant_type: JWT_BEARER, scope: 'openid', assertion };
    expect(await sendAs(org, app, 'private_key_jwt', path, form)).toMatchObject({
      status: 400,
      body: { error: 'unsupported_grant_type' },
    });
  });

  test('where no policy allows it, for scopes of nobody, and for those that users are asked about', async () => {
    const strict = await newCustomServer(org, { grantTypes: ['client_credentials'] });
    expect(await assertUser(org, strict, app, login)).toMatchObject({ status: 401, body: { error: 'access_denied' } });
    expect(await assertUser(org, server, app, login, { scope: 'orders.none' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_scope' },
    });
    const careful = await newAsserter(org, [userId], { consent_method: 'REQUIRED' });
    const asking = await newCustomServer(org, {
      grantTypes: [JWT_BEARER],
      scopes: { 'orders.own': { consent: 'REQUIRED' } },
    });
    const scope = 'orders.own';
    expect(await assertUser(org, asking, careful, login, { scope })).toMatchObject({
      status: 400,
      body: { error: 'consent_required' },
    });
    expect((await assertUser(org, asking, app, login, { scope })).status).toBe(200);
  });

  test('about a user who does not have the app, or may not sign in', async () => {
    const stranger = await org.createUser();
    expect(await assertUser(org, server, app, stranger.profile.login)).toMatchObject(INVALID);
    const other = await org.createUser({ credentials: { password: { value: 'Correct-1-Horse' } } });
    expect(await assertUser(org, server, app, other.profile.login)).toMatchObject({
      status: 400,
      body: { error: 'access_denied' },
    });
    await good(org.admin.post(`/api/v1/apps/${app.id}/users`, { body: { id: other.id, scope: 'USER' } }));
    expect((await assertUser(org, server, app, other.profile.login)).status).toBe(200);
    await good(org.admin.post(`/api/v1/users/${other.id}/lifecycle/suspend`));
    expect(await assertUser(org, server, app, other.profile.login)).toMatchObject(INVALID);
  });
});
