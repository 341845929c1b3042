import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { type CustomServer, newCustomServer, newServerClient } from '../support/custom-servers.ts';
import type { ServiceApp } from '../support/service-apps.ts';
import { useTrustingFetch } from '../support/trusting-fetch.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });
useTrustingFetch(service);
let server: CustomServer;
let issuer: URL;

beforeAll(async () => {
  server = await newCustomServer(org, { claims: { tier: '"gold"' } });
  issuer = new URL(server.issuer);
});

async function verifyToken(token: string, keysUri: string, app: ServiceApp): Promise<void> {
  const keys = createRemoteJWKSet(new URL(keysUri));
  const { payload } = await jwtVerify(token, keys, {
    issuer: server.issuer,
    audience: 'api://orders',
    algorithms: ['RS256'],
    subject: app.id,
  });
  expect(payload).toMatchObject({ cid: app.id, scp: ['orders.read'], tier: 'gold' });
}

async function discover(algorithm: 'oauth2' | 'oidc'): Promise<oauth.AuthorizationServer> {
  const response = await oauth.discoveryRequest(issuer, { algorithm });
  return oauth.processDiscoveryResponse(issuer, response);
}

describe('oauth4webapi', () => {
  test.each(['oauth2', 'oidc'] as const)('discovers the server (%s)', async (algorithm) => {
    expect(await discover(algorithm)).toMatchObject({
      issuer: server.issuer,
      token_endpoint: `${server.issuer}/v1/token`,
      jwks_uri: `${server.issuer}/v1/keys`,
    });
  });

  const methods: readonly (readonly [
    'client_secret_basic' | 'client_secret_post' | 'client_secret_jwt',
    (secret: string) => oauth.ClientAuth,
  ])[] = [
    ['client_secret_basic', (secret) => oauth.ClientSecretBasic(secret)],
    ['client_secret_post', (secret) => oauth.ClientSecretPost(secret)],
    ['client_secret_jwt', (secret) => oauth.ClientSecretJwt(secret)],
  ];

  test.each(methods)('gets a token by %s, verifies, introspects and revokes it', async (proof, authenticate) => {
    const app = await newServerClient(org, proof);
    const as = await discover('oauth2');
    const client = { client_id: app.id };
    const parameters = new URLSearchParams({ scope: 'orders.read' });
    const authentication = authenticate(app.secret ?? '');
    const response = await oauth.clientCredentialsGrantRequest(as, client, authentication, parameters);
    const result = await oauth.processClientCredentialsResponse(as, client, response);
    expect(result).toMatchObject({ token_type: 'bearer', expires_in: 1_800, scope: 'orders.read' });
    const token = result.access_token;
    await verifyToken(token, as.jwks_uri ?? '', app);
    const introspect = async () => {
      const asked = await oauth.introspectionRequest(as, client, authentication, token);
      return oauth.processIntrospectionResponse(as, client, asked);
    };
    expect(await introspect()).toMatchObject({ active: true, client_id: app.id, aud: 'api://orders' });
    const revoked = await oauth.revocationRequest(as, client, authentication, token);
    await oauth.processRevocationResponse(revoked);
    // An introspection response may be up to one second old.
    service.clock.advance(1_100);
    expect(await introspect()).toEqual({ active: false });
  });

  test('is told what is wrong', async () => {
    const app = await newServerClient(org, 'client_secret_basic');
    const as = await discover('oauth2');
    const client = { client_id: app.id };
    const authentication = oauth.ClientSecretBasic(app.secret ?? '');
    const parameters = new URLSearchParams({ scope: 'orders.read orders.write' });
    const response = await oauth.clientCredentialsGrantRequest(as, client, authentication, parameters);
    await expect(oauth.processClientCredentialsResponse(as, client, response)).rejects.toMatchObject({
      error: 'invalid_scope',
      status: 400,
    });
  });

  test('binds a token to a key, with a nonce', async () => {
    const app = await newServerClient(org, 'client_secret_basic', { dpop_bound_access_tokens: true });
    const as = await discover('oauth2');
    const client = { client_id: app.id };
    const DPoP = oauth.DPoP({}, await oauth.generateKeyPair('ES256'));
    const request = async () => {
      const parameters = new URLSearchParams({ scope: 'orders.read' });
      const authentication = oauth.ClientSecretBasic(app.secret ?? '');
      const given = { DPoP };
      const response = await oauth.clientCredentialsGrantRequest(as, client, authentication, parameters, given);
      return oauth.processClientCredentialsResponse(as, client, response);
    };
    const result = await request().catch((error: unknown) => {
      if (oauth.isDPoPNonceError(error)) return request();
      throw error;
    });
    expect(result.token_type).toBe('dpop');
  });
});

describe('openid-client', () => {
  test('discovers, authenticates by its secret and gets a token that jose verifies', async () => {
    const app = await newServerClient(org, 'client_secret_basic');
    const authentication = openid.ClientSecretBasic(app.secret ?? '');
    const configuration = await openid.discovery(issuer, app.id, undefined, authentication);
    const tokens = await openid.clientCredentialsGrant(configuration, { scope: 'orders.read' });
    await verifyToken(tokens.access_token, configuration.serverMetadata().jwks_uri ?? '', app);
  });
});
