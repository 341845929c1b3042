import { createHash } from 'node:crypto';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { answered, ask, CALLBACK, newBrowser, newPkce } from '../support/authorization.ts';
import { beforeTests } from '../support/before-tests.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import { openSession } from '../support/session-tokens.ts';
import { useService } from '../support/use-service.ts';
import { newCode, newUserApp, payloadOf, redeem, tokensOf } from '../support/user-tokens.ts';

const { service, org } = useService();
const app = beforeTests(() => newUserApp(org, { scopes: ['svc.users.read'] }));

const SCOPES = ['openid', 'profile', 'email', 'offline_access', 'svc.users.read'];
const halfHash = (text: string) => createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');

describe('tokens of the org’s own server', () => {
  test('are an access token, a refresh token and an ID token, in the contract’s shape', async () => {
    const { externalSessionId } = await openSession(service, org, { userId: app.userId });
    const code = await newCode(service, org, app, {
      scopes: SCOPES,
      nonce: 'n-1',
      sessionExternalId: externalSessionId,
      details: { idp: '0oaidp' },
    });
    const response = await redeem(org, app, code);
    expect(response).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 3_600 } });
    expect(Object.keys(response.body)).toEqual([
      'token_type',
      'expires_in',
      'access_token',
      'scope',
      'refresh_token',
      'id_token',
    ]);
    expect(response.body.scope).toBe(SCOPES.join(' '));
    expect(response.headers['cache-control']).toContain('no-store');
    const keys = createLocalJWKSet((await org.anonymous.get('/oauth2/v1/keys')).body);
    const { access_token: accessToken, id_token: idToken } = response.body;
    const { payload: access } = await jwtVerify(accessToken, keys, { issuer: org.baseUrl, audience: org.baseUrl });
    expect(Object.keys(access)).toEqual([
      'ver',
      'jti',
      'iss',
      'aud',
      'sub',
      'iat',
      'exp',
      'cid',
      'uid',
      'scp',
      'auth_time',
    ]);
    expect(access).toMatchObject({ sub: app.login, cid: app.id, uid: app.userId, scp: SCOPES });
    const { payload: id } = await jwtVerify(idToken, keys, { issuer: org.baseUrl, audience: app.id });
    expect(id).toMatchObject({
      sub: app.userId,
      ver: 1,
      jti: expect.stringMatching(/^ID\.[\w-]{43}$/),
      amr: ['pwd'],
      idp: '0oaidp',
      nonce: 'n-1',
      sid: externalSessionId,
      at_hash: halfHash(accessToken),
      auth_time: access['auth_time'],
      name: 'Ada Lovelace',
      preferred_username: app.login,
      email: app.login,
    });
    expect(id).not.toHaveProperty('c_hash');
  });

  test('without openid come without an ID token, without offline_access without a refresh token', async () => {
    const tokens = await tokensOf(service, org, app, { scopes: ['svc.users.read'] });
    expect(Object.keys(tokens)).toEqual(['token_type', 'expires_in', 'access_token', 'scope']);
    const noRefresh = await newUserApp(org, {
      settings: { grant_types: ['authorization_code'], refresh_token: undefined },
    });
    expect(await tokensOf(service, org, noRefresh)).not.toHaveProperty('refresh_token');
  });

  test('leave one event for each, with hashes and never the token', async () => {
    const own = await newUserApp(org);
    const tokens = await tokensOf(service, org, own);
    const events = await org.systemLog(`target.id eq "${own.id}" and eventType sw "app.oauth2.token.grant"`);
    expect(events.map(({ eventType }) => eventType)).toEqual([
      'app.oauth2.token.grant.access_token',
      'app.oauth2.token.grant.id_token',
      'app.oauth2.token.grant.refresh_token',
    ]);
    const { jti } = payloadOf(tokens.access_token);
    expect(events[0]).toMatchObject({
      actor: { id: own.id, type: 'PublicClientApp' },
      debugContext: { debugData: { grantType: 'authorization_code', grantedScopes: 'openid offline_access' } },
    });
    expect(events[0].target).toEqual([
      expect.objectContaining({ id: own.id }),
      expect.objectContaining({ id: jti, type: 'access_token' }),
      expect.objectContaining({ id: own.userId, type: 'User', alternateId: own.login }),
    ]);
    const text = JSON.stringify(events);
    for (const token of [tokens.access_token, tokens.id_token, tokens.refresh_token]) expect(text).not.toContain(token);
  });

  test.each(['client_secret_basic', 'client_secret_post', 'none'] as const)(
    'are given to a client by %s',
    async (way) => {
      const isPublic = way === 'none';
      const own = await newUserApp(org, { authMethod: way, applicationType: isPublic ? 'native' : 'web' });
      const code = await newCode(service, org, own);
      const inBody = way === 'client_secret_post' ? { client_id: own.id, client_secret: own.secret } : {};
      const as = way === 'client_secret_post' ? { ...own, secret: undefined } : own;
      expect((await redeem(org, as, code, inBody)).status).toBe(200);
    },
  );
});

describe('tokens of a custom server', () => {
  test('say what its claims say of the user, of the app and of groups', async () => {
    const server = await newCustomServer(org, {
      grantTypes: ['authorization_code'],
      claims: {
        mail: 'user.email',
        name_in_app: 'appuser.userName',
        groups: { valueType: 'GROUPS', value: 'Every', group_filter_type: 'STARTS_WITH' },
        hat: { value: '"red"', claimType: 'IDENTITY', alwaysIncludeInToken: true },
        boots: { value: '"blue"', claimType: 'IDENTITY', alwaysIncludeInToken: false },
        silent: { value: '"nothing"', status: 'INACTIVE' },
      },
    });
    const scopes = ['openid', 'profile', 'orders.read'];
    const code = await newCode(service, org, app, { serverId: server.id, scopes });
    const response = await redeem(org, app, code, {}, { path: `${server.oauth}/v1/token` });
    expect(response).toMatchObject({ status: 200, body: { expires_in: 1_800, scope: scopes.join(' ') } });
    const keys = createLocalJWKSet((await org.anonymous.get(`${server.oauth}/v1/keys`)).body);
    const own = { issuer: server.issuer, audience: 'api://orders' };
    const { payload } = await jwtVerify(response.body.access_token, keys, own);
    expect(payload).toMatchObject({
      sub: app.login,
      uid: app.userId,
      mail: app.login,
      name_in_app: app.login,
      groups: ['Everyone'],
    });
    expect(payload).not.toHaveProperty('silent');
    const { payload: id } = await jwtVerify(response.body.id_token, keys, { ...own, audience: app.id });
    expect(id).toMatchObject({ sub: app.userId, hat: 'red', preferred_username: app.login });
    // An ID token that is issued together with an access token contains only identity claims that are always included.
    for (const name of ['boots', 'given_name']) expect(id).not.toHaveProperty(name);
  });

  test('are refused where no policy is for them, and for a scope that is gone', async () => {
    const server = await newCustomServer(org, { grantTypes: ['client_credentials'] });
    const place = { path: `${server.oauth}/v1/token` };
    const redeemFor = async (scopes: string[]) =>
      redeem(org, app, await newCode(service, org, app, { serverId: server.id, scopes }), {}, place);
    expect(await redeemFor(['openid'])).toMatchObject({ status: 401, body: { error: 'access_denied' } });
    const unknown = await redeemFor(['openid', 'orders.write']);
    expect(unknown).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
  });
});

test('the code of an authorization request gives tokens that userinfo and the API take', async () => {
  const browser = await newBrowser(service, org, app);
  const { parameters: challenge, verifier } = newPkce();
  const asked = { scope: SCOPES.join(' '), nonce: 'n-2', ...challenge };
  const { code = '' } = answered(await ask(browser.client, app, asked)).parameters;
  const { body, status } = await redeem(org, app, { code, verifier });
  expect(status).toBe(200);
  expect(payloadOf(body.id_token)).toMatchObject({
    sub: browser.userId,
    nonce: 'n-2',
    sid: browser.externalSessionId,
    amr: ['pwd'],
    idp: org.id,
  });
  const bearer = org.client({ authorization: `Bearer ${body.access_token}` });
  expect(await bearer.get('/oauth2/v1/userinfo')).toMatchObject({ status: 200, body: { sub: browser.userId } });
  expect(await bearer.get('/api/v1/users/me')).toMatchObject({ status: 200, body: { id: browser.userId } });
});

test('a code is redeemed with the redirection it was asked for with, or with none where none was given', async () => {
  const code = await newCode(service, org, app, { redirectUri: null });
  expect(await redeem(org, app, code, { redirect_uri: CALLBACK })).toMatchObject({
    status: 400,
    body: { error: 'invalid_grant' },
  });
  expect((await redeem(org, app, code, { redirect_uri: undefined })).status).toBe(200);
});
