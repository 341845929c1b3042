import { SignJWT } from 'jose';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { JWT_BEARER, newAsserter } from '../support/assertion-grant.ts';
import { type CustomServer, good } from '../support/custom-servers.ts';
import { ACCESS_TOKEN, newExchanger, newExchangeServer, TOKEN_EXCHANGE, tokensAt } from '../support/token-exchange.ts';
import { useTrustingFetch } from '../support/trusting-fetch.ts';
import { useService } from '../support/use-service.ts';
import { newUserApp, payloadOf, type UserApp } from '../support/user-tokens.ts';

const { service, org } = useService({ isShared: false });
useTrustingFetch(service);
let server: CustomServer;
let front: UserApp;

beforeAll(async () => {
  server = await newExchangeServer(org, { grantTypes: ['authorization_code', TOKEN_EXCHANGE, JWT_BEARER] });
  front = await newUserApp(org);
});

const configure = (clientId: string, proof: openid.ClientAuth): Promise<openid.Configuration> =>
  openid.discovery(new URL(server.issuer), clientId, undefined, proof);

const subjectToken = async (): Promise<string> =>
  (await tokensAt(service, org, front, server, ['openid', 'orders.read', 'orders.write'])).access_token;

const parameters = async (scope: string) => ({
  subject_token: await subjectToken(),
  subject_token_type: ACCESS_TOKEN,
  requested_token_type: ACCESS_TOKEN,
  audience: 'api://orders',
  scope,
});

describe('openid-client', () => {
  test('exchanges a token, and is told what it got', async () => {
    const app = await newExchanger(org, [front.userId]);
    const config = await configure(app.id, openid.ClientSecretBasic(app.secret ?? ''));
    expect(config.serverMetadata().grant_types_supported).toEqual(expect.arrayContaining([TOKEN_EXCHANGE, JWT_BEARER]));
    const tokens = await openid.genericGrantRequest(config, TOKEN_EXCHANGE, await parameters('openid orders.read'));
    expect(tokens).toMatchObject({
      issued_token_type: ACCESS_TOKEN,
      token_type: 'bearer',
      scope: 'openid orders.read',
    });
    expect(payloadOf(tokens.access_token)).toMatchObject({ uid: front.userId, cid: app.id });
    expect(tokens.claims()).toMatchObject({ sub: front.userId, aud: app.id });
    expect(await openid.fetchUserInfo(config, tokens.access_token, front.userId)).toMatchObject({ sub: front.userId });
    const known = await openid.tokenIntrospection(config, tokens.access_token);
    expect(known).toMatchObject({ active: true, client_id: app.id });
    await expect(
      openid.genericGrantRequest(config, TOKEN_EXCHANGE, await parameters('openid email')),
    ).rejects.toMatchObject({ error: 'invalid_scope', status: 400 });
  });

  test('exchanges a token for one that is bound to its key', async () => {
    const app = await newExchanger(org, [front.userId], { settings: { dpop_bound_access_tokens: true } });
    const config = await configure(app.id, openid.ClientSecretBasic(app.secret ?? ''));
    const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair('ES256'));
    const tokens = await openid.genericGrantRequest(config, TOKEN_EXCHANGE, await parameters('openid'), { DPoP });
    expect(tokens.token_type).toBe('dpop');
    expect((await openid.fetchUserInfo(config, tokens.access_token, front.userId, { DPoP })).sub).toBe(front.userId);
  });

  test('asks for a token by an assertion about a user', async () => {
    const app = await newAsserter(org, [front.userId]);
    const key = await crypto.subtle.importKey(
      'pkcs8',
      app.key.privateKey.export({ format: 'der', type: 'pkcs8' }),
      { name: 'ECDSA', namedCurve: 'P-256' },
      false,
      ['sign'],
    );
    const config = await configure(app.id, openid.PrivateKeyJwt({ key, kid: app.key.kid }));
    const assertion = await new SignJWT({ jti: crypto.randomUUID() })
      .setProtectedHeader({ alg: 'ES256', kid: app.key.kid })
      .setIssuer(app.id)
      .setSubject(front.login)
      .setAudience(server.issuer)
      .setIssuedAt()
      .setExpirationTime('2m')
      .sign(app.key.privateKey);
    const asked = { assertion, scope: 'openid orders.read' };
    const tokens = await openid.genericGrantRequest(config, JWT_BEARER, asked);
    expect(tokens.claims()).toMatchObject({ sub: front.userId });
    await expect(openid.genericGrantRequest(config, JWT_BEARER, asked)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });
});

test('oauth4webapi exchanges a token of a server that is trusted', async () => {
  const stock = await newExchangeServer(org, { audience: 'api://stock', scopes: { 'stock.read': {} } });
  await good(org.admin.post(`${stock.path}/associatedServers`, { body: { trusted: [server.id] } }));
  const app = await newExchanger(org, [front.userId]);
  const issuer = new URL(stock.issuer);
  const as = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2' }),
  );
  const client: oauth.Client = { client_id: app.id };
  const given = { ...(await parameters('stock.read')), audience: 'api://stock' };
  const answer = await oauth.genericTokenEndpointRequest(
    as,
    client,
    oauth.ClientSecretBasic(app.secret ?? ''),
    TOKEN_EXCHANGE,
    given,
  );
  const tokens = await oauth.processGenericTokenEndpointResponse(as, client, answer);
  expect(payloadOf(tokens.access_token)).toMatchObject({ iss: stock.issuer, aud: 'api://stock', uid: front.userId });
});
