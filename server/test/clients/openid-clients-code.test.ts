import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { good } from '../support/custom-servers.ts';
import { openSession } from '../support/session-tokens.ts';
import { useTrustingFetch } from '../support/trusting-fetch.ts';
import { useService } from '../support/use-service.ts';
import { newWebApp, type WebApp } from '../support/web-apps.ts';
import { openWebWalk } from '../support/web-walk.ts';

const { service, org } = useService({ isShared: false });
useTrustingFetch(service);
const walk = beforeTests(() => openWebWalk({ ca: service.ca, stopsAt: ({ port }) => port === '1' }));
let userId: string;
const CALLBACK = 'http://localhost:1/callback';
const SIGNED_OUT = 'http://localhost:1/signed-out';

const issuerOf = (kind: 'org' | 'default'): string =>
  `https://localhost:${service.port}${kind === 'org' ? '' : '/oauth2/default'}`;

beforeAll(async () => {
  const session = await openSession(service, org);
  ({ userId } = session);
  walk.setCookie(issuerOf('org'), '__Host-sid', session.id);
});

async function newApp(given: Partial<Parameters<typeof newWebApp>[1]> = {}): Promise<WebApp> {
  const app = await newWebApp(org, { redirectUris: [CALLBACK], postLogoutRedirectUris: [SIGNED_OUT], ...given });
  await good(org.admin.post(`/api/v1/apps/${app.id}/users`, { body: { id: userId } }));
  return app;
}

async function arriveFrom(url: URL): Promise<URL> {
  const page = await walk.go(url);
  if (page.status !== 0) throw new Error(`${page.status} at ${page.url.href}: ${page.html.slice(0, 2_000)}`);
  return page.url;
}

const configure = async (
  kind: 'org' | 'default',
  app: WebApp,
  proof: openid.ClientAuth,
): Promise<openid.Configuration> => openid.discovery(new URL(issuerOf(kind)), app.id, undefined, proof);

const SCOPE = 'openid profile email offline_access';

describe.each(['org', 'default'] as const)('at the %s authorization server', (kind) => {
  test('openid-client: PKCE, nonce, userinfo, refresh, introspection, revocation, logout', async () => {
    const app = await newApp();
    const config = await configure(kind, app, openid.ClientSecretBasic(app.clientSecret));
    const verifier = openid.randomPKCECodeVerifier();
    const [state, nonce] = [openid.randomState(), openid.randomNonce()];
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: SCOPE,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      max_age: '3600',
    });
    const tokens = await openid.authorizationCodeGrant(config, await arriveFrom(url), {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      maxAge: 3_600,
      idTokenExpected: true,
    });
    expect(tokens.claims()).toMatchObject({ sub: userId, aud: app.id, iss: issuerOf(kind) });
    const told = await openid.fetchUserInfo(config, tokens.access_token, userId);
    expect(told).toMatchObject({ sub: userId, email: expect.stringContaining('@') });
    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(refreshed.access_token).not.toBe(tokens.access_token);
    expect(refreshed.claims()?.sub).toBe(userId);
    const known = await openid.tokenIntrospection(config, refreshed.access_token);
    expect(known).toMatchObject({ active: true, client_id: app.id, uid: userId });
    await openid.tokenRevocation(config, refreshed.access_token);
    expect(await openid.tokenIntrospection(config, refreshed.access_token)).toEqual({ active: false });
    await openid.tokenRevocation(config, refreshed.refresh_token ?? '');
    await expect(openid.refreshTokenGrant(config, refreshed.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });

  test('openid-client: a pushed request, and tokens bound to a key by DPoP', async () => {
    const app = await newApp({ authMethod: 'client_secret_post', settings: { dpop_bound_access_tokens: true } });
    const config = await configure(kind, app, openid.ClientSecretPost(app.clientSecret));
    const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair('ES256'));
    const verifier = openid.randomPKCECodeVerifier();
    const url = await openid.buildAuthorizationUrlWithPAR(
      config,
      {
        redirect_uri: CALLBACK,
        scope: SCOPE,
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      },
      { DPoP },
    );
    expect([...url.searchParams.keys()].toSorted()).toEqual(['client_id', 'request_uri']);
    const checks = { pkceCodeVerifier: verifier, idTokenExpected: true };
    const tokens = await openid.authorizationCodeGrant(config, await arriveFrom(url), checks, undefined, { DPoP });
    expect(tokens.token_type).toBe('dpop');
    const told = await openid.fetchUserInfo(config, tokens.access_token, userId, { DPoP });
    expect(told.sub).toBe(userId);
    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, { DPoP });
    expect(refreshed.token_type).toBe('dpop');
  });

  test('oauth4webapi: a public client', async () => {
    const app = await newApp({ applicationType: 'browser', authMethod: 'none' });
    const issuer = new URL(issuerOf(kind));
    const discovered = await oauth.discoveryRequest(issuer, { algorithm: 'oidc' });
    const server = await oauth.processDiscoveryResponse(issuer, discovered);
    const client: oauth.Client = { client_id: app.id };
    const verifier = oauth.generateRandomCodeVerifier();
    const url = new URL(server.authorization_endpoint ?? '');
    const sent = {
      client_id: app.id,
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: SCOPE,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(sent)) url.searchParams.set(name, value);
    const arrived = oauth.validateAuthResponse(server, client, await arriveFrom(url));
    const answer = await oauth.authorizationCodeGrantRequest(server, client, oauth.None(), arrived, CALLBACK, verifier);
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, { requireIdToken: true });
    await oauth.validateApplicationLevelSignature(server, answer);
    expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({ sub: userId, aud: app.id });
    const renewed = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), tokens.refresh_token ?? '');
    expect((await oauth.processRefreshTokenResponse(server, client, renewed)).access_token).toBeDefined();
  });

  test('openid-client: signing out', async () => {
    const app = await newApp();
    const config = await configure(kind, app, openid.ClientSecretBasic(app.clientSecret));
    const session = await openSession(service, org);
    await good(org.admin.post(`/api/v1/apps/${app.id}/users`, { body: { id: session.userId } }));
    const own = openWebWalk({ ca: service.ca, stopsAt: ({ port }) => port === '1' });
    own.setCookie(issuerOf('org'), '__Host-sid', session.id);
    const verifier = openid.randomPKCECodeVerifier();
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: 'openid',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const checks = { pkceCodeVerifier: verifier, idTokenExpected: true };
    const tokens = await openid.authorizationCodeGrant(config, (await own.go(url)).url, checks);
    const end = openid.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: SIGNED_OUT,
      state: 'bye',
    });
    expect((await own.go(end)).url.href).toBe(`${SIGNED_OUT}?state=bye`);
    expect(own.cookies(issuerOf('org')).has('__Host-sid')).toBe(false);
    expect((await own.go(url)).url.pathname).toBe('/signin');
    await own.close();
  });
});
