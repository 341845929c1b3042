import * as openid from 'openid-client';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  ALL_RESPONSES,
  type Browser,
  CALLBACK,
  newBrowser,
  newOidcApp,
  type OidcApp,
} from '../support/authorization.ts';
import { type CustomServer, newCustomServer } from '../support/custom-servers.ts';
import { useTrustingFetch } from '../support/trusting-fetch.ts';
import { useService } from '../support/use-service.ts';

// This file tests both kinds of authorization server with openid-client: discovery, codes with PKCE, pushed requests,
// and implicit and hybrid flows.

const { service, org } = useService({ isShared: false });
useTrustingFetch(service);
let app: OidcApp;
let browser: Browser;
let server: CustomServer;

beforeAll(async () => {
  app = await newOidcApp(org, { settings: ALL_RESPONSES });
  browser = await newBrowser(service, org, app);
  server = await newCustomServer(org, { grantTypes: ['authorization_code', 'implicit'] });
});

async function discover(issuer: string): Promise<openid.Configuration> {
  const proof = openid.ClientSecretBasic(app.secret);
  return openid.discovery(new URL(issuer), app.id, undefined, proof);
}

async function visit(address: URL): Promise<URL> {
  const { headers, status, text } = await browser.client.get(address.pathname + address.search);
  if (status !== 303) throw new Error(`answered ${status}: ${text}`);
  return new URL(String(headers['location']));
}

describe.each([
  ['the org server', () => org.baseUrl],
  ['a custom server', () => server.issuer],
])('openid-client at %s', (_name, issuerOf) => {
  const begin = async () => {
    const config = await discover(issuerOf());
    const verifier = openid.randomPKCECodeVerifier();
    const parameters = {
      redirect_uri: CALLBACK,
      scope: 'openid profile email',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state: openid.randomState(),
      nonce: openid.randomNonce(),
    };
    const checks = { pkceCodeVerifier: verifier, expectedState: parameters.state, expectedNonce: parameters.nonce };
    return { config, parameters, checks };
  };

  test('a code becomes tokens about the user', async () => {
    const { checks, config, parameters } = await begin();
    const back = await visit(openid.buildAuthorizationUrl(config, parameters));
    const tokens = await openid.authorizationCodeGrant(config, back, checks);
    expect(tokens.claims()).toMatchObject({ sub: browser.userId, aud: app.id, iss: issuerOf() });
    expect(tokens.access_token).toBeDefined();
  });

  test('with max_age and prompt=login the answer says when', async () => {
    const { checks, config, parameters } = await begin();
    const back = await visit(openid.buildAuthorizationUrl(config, { ...parameters, max_age: '3600' }));
    const tokens = await openid.authorizationCodeGrant(config, back, { ...checks, maxAge: 3_600 });
    expect(tokens.claims()?.auth_time).toEqual(expect.any(Number));
  });

  test('a request may be pushed', async () => {
    const { checks, config, parameters } = await begin();
    const back = await visit(await openid.buildAuthorizationUrlWithPAR(config, parameters));
    const tokens = await openid.authorizationCodeGrant(config, back, checks);
    expect(tokens.claims()?.sub).toBe(browser.userId);
  });

  test('an answer of another issuer is refused by it (RFC 9207)', async () => {
    const { checks, config, parameters } = await begin();
    const back = await visit(openid.buildAuthorizationUrl(config, parameters));
    back.searchParams.set('iss', 'https://evil.example');
    await expect(openid.authorizationCodeGrant(config, back, checks)).rejects.toThrow();
  });

  test('an ID token comes straight away', async () => {
    const { config, parameters } = await begin();
    openid.useIdTokenResponseType(config);
    const back = await visit(openid.buildAuthorizationUrl(config, parameters));
    const { nonce, state } = parameters;
    const claims = await openid.implicitAuthentication(config, back, nonce, { expectedState: state });
    expect(claims).toMatchObject({ sub: browser.userId, iss: issuerOf() });
  });

  test('a hybrid answer', async () => {
    const { checks, config, parameters } = await begin();
    openid.useCodeIdTokenResponseType(config);
    const back = await visit(openid.buildAuthorizationUrl(config, parameters));
    const tokens = await openid.authorizationCodeGrant(config, back, checks);
    expect(tokens.claims()?.sub).toBe(browser.userId);
  });
});
