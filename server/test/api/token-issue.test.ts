import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { giveDomain } from '../support/org-settings.ts';
import {
  claimsOf,
  newServiceApp,
  newTestKey,
  postForm,
  requestToken,
  signAssertion,
  tokenForm,
} from '../support/service-apps.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });
const app = beforeTests(() => newServiceApp(org, { scopes: ['svc.users.read', 'svc.apps.manage'] }));

const now = () => service.clock.now();
const post = (form: string, headers: Record<string, string> = {}) =>
  postForm(org.anonymous, '/oauth2/v1/token', form, { headers });

describe('POST /oauth2/v1/token', () => {
  test('gives a service app a token that anybody can verify', async () => {
    const response = await requestToken(org, app, now());
    expect(response).toMatchObject({
      status: 200,
      body: { token_type: 'Bearer', expires_in: 3_600, scope: 'svc.users.read' },
    });
    expect(Object.keys(response.body)).toEqual(['token_type', 'expires_in', 'access_token', 'scope']);
    expect(response.headers['cache-control']).toContain('no-store');
    expect(response.headers['pragma']).toBe('no-cache');
    const keys = await org.anonymous.get('/oauth2/v1/keys');
    const { payload } = await jwtVerify(response.body.access_token, createLocalJWKSet(keys.body), {
      issuer: org.baseUrl,
      audience: org.baseUrl,
    });
    expect(payload).toMatchObject({ ver: 1, sub: app.id, cid: app.id, scp: ['svc.users.read'] });
    expect(Number(payload.exp) - Number(payload.iat)).toBe(3_600);
    expect(decodeProtectedHeader(response.body.access_token)).toMatchObject({ alg: 'RS256' });
  });

  test('gives the scopes asked for, each once, in their order', async () => {
    const scope = 'svc.apps.manage  svc.users.read svc.apps.manage';
    expect(await requestToken(org, app, now(), { scope })).toMatchObject({
      status: 200,
      body: { scope: 'svc.apps.manage svc.users.read' },
    });
  });

  test('logs the grant, with the client as actor and target and without the token', async () => {
    const { body } = await requestToken(org, app, now());
    const [event] = (await org.systemLog('eventType eq "app.oauth2.token.grant.access_token"')).slice(-1);
    const jti = JSON.parse(Buffer.from(body.access_token.split('.')[1], 'base64url').toString()).jti;
    expect(event).toMatchObject({
      actor: { id: app.id, type: 'PublicClientApp', alternateId: app.id },
      outcome: { result: 'SUCCESS', reason: null },
      target: [
        { id: app.id, type: 'PublicClientApp' },
        { id: jti, type: 'access_token', displayName: 'Access Token' },
      ],
      debugContext: {
        debugData: {
          grantType: 'client_credentials',
          clientAuthType: 'private_key_jwt',
          requestedScopes: 'svc.users.read',
          grantedScopes: 'svc.users.read',
        },
      },
    });
    expect(JSON.stringify(event)).not.toContain(body.access_token.split('.')[2]);
    expect(service.logged()).not.toContain(body.access_token.split('.')[2]);
  });

  test('takes an audience in an array, a client_id beside it, and parameters without a value', async () => {
    const aud = [`${org.baseUrl}/oauth2/v1/token`];
    const assertion = await signAssertion(app.key, claimsOf(org, app.id, now(), { aud }));
    const form = tokenForm(assertion, { client_id: app.id, client_secret: '', resource: '', unknown: 'x' });
    expect((await post(form)).status).toBe(200);
  });

  test('takes an assertion that lives for exactly an hour, and one without iat, typ and jti', async () => {
    const exp = Math.floor(now().getTime() / 1_000) + 3_600;
    const changes = { exp, iat: undefined, jti: undefined };
    const assertion = await signAssertion(app.key, claimsOf(org, app.id, now(), changes));
    expect((await post(tokenForm(assertion))).status).toBe(200);
  });

  test('takes keys on the curve, and tries every key where the kid is missing', async () => {
    const [first, second, third] = [newTestKey('RS256'), newTestKey('ES256'), newTestKey('RS256')];
    const other = await newServiceApp(org, { key: second, otherKeys: [first, third] });
    for (const key of [first, second, third]) {
      for (const header of [{}, { kid: undefined }]) {
        const assertion = await signAssertion(key, claimsOf(org, other.id, now()), header);
        expect((await post(tokenForm(assertion))).status).toBe(200);
      }
    }
  });

  test('takes every algorithm that fits the key', async () => {
    for (const alg of ['RS384', 'RS512', 'PS256', 'PS384', 'PS512']) {
      const assertion = await signAssertion(app.key, claimsOf(org, app.id, now()), { alg });
      expect({ alg, status: (await post(tokenForm(assertion))).status }).toEqual({ alg, status: 200 });
    }
  });

  test('takes assertions made for any address of the org, and none made for another org', async () => {
    await giveDomain(service, org, 'login.example.com');
    const other = await service.newOrg();
    const send = async (base: string) => {
      const aud = `${base}/oauth2/v1/token`;
      return post(tokenForm(await signAssertion(app.key, claimsOf(org, app.id, now(), { aud }))));
    };
    expect((await send(`https://login.example.com:${service.port}`)).status).toBe(200);
    for (const base of [other.baseUrl, 'https://login.example.com', `http://${org.hostname}:${service.port}`]) {
      expect((await send(base)).body.error).toBe('invalid_client');
    }
  });

  test('does not look at a DPoP proof of an app whose tokens are bound to none', async () => {
    const assertion = await signAssertion(app.key, claimsOf(org, app.id, now()));
    const response = await post(tokenForm(assertion), { dpop: 'garbage' });
    expect(response).toMatchObject({ status: 200, body: { token_type: 'Bearer' } });
  });

  test('answers in the word of the namespace', async () => {
    const { body } = await requestToken(org, app, now(), { scope: 'okta.users.read' });
    expect(body.error).toBe('invalid_scope');
  });

  test('answers what a browser asks first, for a trusted origin', async () => {
    await org.admin.post('/api/v1/trustedOrigins', {
      body: { name: 'spa', origin: 'https://spa.example', scopes: [{ type: 'CORS' }] },
    });
    const preflight = await org.anonymous.send('OPTIONS', '/oauth2/v1/token', {
      headers: { origin: 'https://spa.example', 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-origin']).toBe('https://spa.example');
  });
});
