import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { beforeAll, expect, test } from 'vitest';
import { aboutSession, browserOf, holds, idTokenOf } from '../support/logout.ts';
import { newServiceClient } from '../support/service-clients.ts';
import { openSession } from '../support/session-tokens.ts';
import { useTrustingFetch } from '../support/trusting-fetch.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });
useTrustingFetch(service);
let issuer: URL;
let initialAccessToken: string;

beforeAll(async () => {
  issuer = new URL(org.baseUrl);
  const registrar = await newServiceClient(service, org, { scopes: ['clients.register'], roles: ['SUPER_ADMIN'] });
  initialAccessToken = await registrar.token('clients.register');
});

const AFTER = 'https://app.example.com/signed-out';
const METADATA = {
  client_name: 'Registered by a library',
  redirect_uris: ['https://app.example.com/cb'],
  post_logout_redirect_uris: [AFTER],
  token_endpoint_auth_method: 'client_secret_basic',
  backchannel_logout_uri: 'https://app.example.com/backchannel',
};

test('oauth4webapi registers a client, and is told what is wrong', async () => {
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oidc' }),
  );
  const options = { initialAccessToken };
  const request = (metadata: object) => oauth.dynamicClientRegistrationRequest(server, metadata, options);
  const client = await oauth.processDynamicClientRegistrationResponse(await request(METADATA));
  expect(client).toMatchObject({ ...METADATA, client_id: expect.any(String), client_secret: expect.any(String) });
  const wrong = oauth.processDynamicClientRegistrationResponse(await request({ ...METADATA, redirect_uris: ['x'] }));
  await expect(wrong).rejects.toMatchObject({ error: 'invalid_redirect_uri', status: 400 });
});

test('openid-client registers itself, and leads a browser to sign out', async () => {
  const config = await openid.dynamicClientRegistration(issuer, METADATA, undefined, {
    initialAccessToken,
  });
  const { client_id: clientId } = config.clientMetadata();
  const session = await openSession(service, org);
  const hint = await idTokenOf(service, org, aboutSession(session, clientId));
  const url = openid.buildEndSessionUrl(config, {
    id_token_hint: hint,
    post_logout_redirect_uri: AFTER,
    state: 'st',
  });
  expect(url.searchParams.get('client_id')).toBe(clientId);
  const answer = await browserOf(org, session).get(url.href.slice(org.baseUrl.length));
  expect(answer).toMatchObject({ status: 302, headers: { location: `${AFTER}?state=st` } });
  expect(await holds(session)).toBe(false);
});
