import type { KeyObject } from 'node:crypto';
import { createRemoteJWKSet, importPKCS8, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { newServiceApp, newTestKey, type ServiceApp } from '../support/service-apps.ts';
import { useTrustingFetch } from '../support/trusting-fetch.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });
useTrustingFetch(service);
let issuer: URL;

beforeAll(() => {
  issuer = new URL(org.baseUrl);
});

const toCryptoKey = (key: KeyObject, algorithm = 'RS256') =>
  importPKCS8(key.export({ type: 'pkcs8', format: 'pem' }).toString(), algorithm);

const ALL_ROLES = ['SUPER_ADMIN'];

async function verifyToken(token: string, app: Pick<ServiceApp, 'id'>): Promise<readonly unknown[]> {
  const keys = createRemoteJWKSet(new URL('/oauth2/v1/keys', issuer));
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer: org.baseUrl,
    audience: org.baseUrl,
    algorithms: ['RS256'],
    subject: app.id,
  });
  expect(protectedHeader).toEqual({ alg: 'RS256', kid: expect.any(String) });
  expect(payload).toMatchObject({ ver: 1, cid: app.id, jti: expect.stringMatching(/^AT\./) });
  return payload['scp'] as unknown[];
}

const bearer = (token: string) => org.client({ authorization: `Bearer ${token}` });

describe('oauth4webapi and jose', () => {
  async function discover(algorithm: 'oauth2' | 'oidc'): Promise<oauth.AuthorizationServer> {
    const response = await oauth.discoveryRequest(issuer, { algorithm });
    return oauth.processDiscoveryResponse(issuer, response);
  }

  async function authenticationOf(app: ServiceApp): Promise<oauth.ClientAuth> {
    const key = { key: await toCryptoKey(app.key.privateKey), kid: app.key.kid };
    return oauth.PrivateKeyJwt(key);
  }

  test.each(['oauth2', 'oidc'] as const)('discover the server (%s)', async (algorithm) => {
    const server = await discover(algorithm);
    expect(server).toMatchObject({
      issuer: org.baseUrl,
      token_endpoint: `${org.baseUrl}/oauth2/v1/token`,
      jwks_uri: `${org.baseUrl}/oauth2/v1/keys`,
    });
  });

  test('get a token by a key, verify it, use it, introspect and revoke it', async () => {
    const app = await newServiceApp(org, { roles: ALL_ROLES });
    const server = await discover('oauth2');
    const client = { client_id: app.id };
    const authentication = await authenticationOf(app);
    const parameters = new URLSearchParams({ scope: 'svc.users.read' });
    const response = await oauth.clientCredentialsGrantRequest(server, client, authentication, parameters);
    const result = await oauth.processClientCredentialsResponse(server, client, response);
    expect(result).toMatchObject({ token_type: 'bearer', expires_in: 3_600, scope: 'svc.users.read' });
    const token = result.access_token;
    expect(await verifyToken(token, app)).toEqual(['svc.users.read']);
    expect(await bearer(token).get('/api/v1/users')).toMatchObject({ status: 200 });

    const introspect = async () =>
      oauth.processIntrospectionResponse(
        server,
        client,
        await oauth.introspectionRequest(server, client, authentication, token),
      );
    expect(await introspect()).toMatchObject({ active: true, client_id: app.id, scope: 'svc.users.read' });
    const revoked = await oauth.revocationRequest(server, client, authentication, token);
    await oauth.processRevocationResponse(revoked);
    // An introspection response may be up to one second old.
    service.clock.advance(1_100);
    expect(await introspect()).toEqual({ active: false });
    const refused = await bearer(token).get('/api/v1/users');
    expect(refused).toMatchObject({ status: 401, body: { errorCode: 'E0000011' } });
    expect(refused.headers['www-authenticate']).toMatch(/^Bearer .*error="invalid_token"/);
  });

  test('are told by RFC 6749 errors what is wrong', async () => {
    const app = await newServiceApp(org);
    const server = await discover('oauth2');
    const client = { client_id: app.id };
    const parameters = new URLSearchParams({ scope: 'svc.users.read svc.apps.manage' });
    const authentication = await authenticationOf(app);
    const response = await oauth.clientCredentialsGrantRequest(server, client, authentication, parameters);
    await expect(oauth.processClientCredentialsResponse(server, client, response)).rejects.toMatchObject({
      error: 'invalid_scope',
      status: 400,
    });
  });

  test('bind the tokens of an app that wants it to a key, with a nonce', async () => {
    const plain = await newServiceApp(org, { roles: ALL_ROLES, settings: { dpop_bound_access_tokens: true } });
    const server = await discover('oauth2');
    const client = { client_id: plain.id };
    const DPoP = oauth.DPoP({}, await oauth.generateKeyPair('ES256'));
    const request = async () => {
      const parameters = new URLSearchParams({ scope: 'svc.users.read' });
      const authentication = await authenticationOf(plain);
      const given = { DPoP };
      const response = await oauth.clientCredentialsGrantRequest(server, client, authentication, parameters, given);
      return oauth.processClientCredentialsResponse(server, client, response);
    };
    const result = await request().catch((error: unknown) => {
      if (oauth.isDPoPNonceError(error)) return request();
      throw error;
    });
    expect(result.token_type).toBe('dpop');
    const users = new URL('/api/v1/users', issuer);
    const used = await oauth.protectedResourceRequest(result.access_token, 'GET', users, undefined, null, { DPoP });
    expect(used.status).toBe(200);
    expect(await bearer(result.access_token).get('/api/v1/users')).toMatchObject({ status: 401 });
  });
});

describe('openid-client', () => {
  test('discovers, authenticates by an ES256 key and gets a token that jose verifies', async () => {
    const key = newTestKey('ES256');
    const scopes = ['svc.users.read', 'svc.logs.read'];
    const app = await newServiceApp(org, { key, otherKeys: [newTestKey()], scopes, roles: ALL_ROLES });
    const authentication = openid.PrivateKeyJwt({ key: await toCryptoKey(key.privateKey, 'ES256'), kid: key.kid });
    const configuration = await openid.discovery(issuer, app.id, undefined, authentication);
    const tokens = await openid.clientCredentialsGrant(configuration, { scope: 'svc.users.read svc.logs.read' });
    expect(await verifyToken(tokens.access_token, app)).toEqual(['svc.users.read', 'svc.logs.read']);
    expect(await bearer(tokens.access_token).get('/api/v1/logs?limit=1')).toMatchObject({ status: 200 });
    expect(await bearer(tokens.access_token).get('/api/v1/apps')).toMatchObject({ status: 403 });
  });
});
