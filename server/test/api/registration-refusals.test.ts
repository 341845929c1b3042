import { describe, expect, test } from 'vitest';
import { newPublicJwk } from '../support/apps.ts';
import { changeSettings } from '../support/org-settings.ts';
import { useService } from '../support/use-service.ts';

const CLIENTS = '/oauth2/v1/clients';

const asked: string[] = [];
const refuse = (url: string) => {
  asked.push(url);
  return Promise.reject(new Error('nothing is asked'));
};
const { service, org } = useService({
  outbound: {
    send: ({ url }) => refuse(url),
    getJson: (_orgId, url) => refuse(url),
    close: () => Promise.resolve(),
  },
});

const client = (given: Readonly<Record<string, unknown>> = {}) => ({
  client_name: 'Client',
  application_type: 'web',
  grant_types: ['authorization_code'],
  response_types: ['code'],
  token_endpoint_auth_method: 'client_secret_basic',
  redirect_uris: ['https://app.example.com/cb'],
  ...given,
});

/** Redirect URIs that a registration of a web client must not contain (attack 79 in docs/security-rows.md). */
const BAD_REDIRECTS = [
  'https://app.example.com/cb#fragment',
  'https://user@app.example.com/cb',
  'https://*.example.com/cb',
  'javascript:alert(1)',
  'data:text/html,x',
  'com.example.app:/cb',
  '/cb',
  'https:\\\\app.example.com\\cb',
  'https://app.example.com/c b',
];

describe('a redirect URI', () => {
  test.each(BAD_REDIRECTS)('%s is invalid_redirect_uri', async (uri) => {
    expect(await org.admin.post(CLIENTS, { body: client({ redirect_uris: [uri] }) })).toMatchObject({
      status: 400,
      body: { error: 'invalid_redirect_uri', error_description: expect.stringContaining('redirect_uris') },
    });
  });

  test.each(BAD_REDIRECTS)('row 79: %s takes no place of a good one', async (uri) => {
    const made = (await org.admin.post(CLIENTS, { body: client() })).body;
    const path = `${CLIENTS}/${made.client_id}`;
    const body = { ...client({ redirect_uris: [uri] }), client_id: made.client_id };
    expect(await org.admin.put(path, { body })).toMatchObject({ status: 400, body: { error: 'invalid_redirect_uri' } });
    expect((await org.admin.get(path)).body.redirect_uris).toEqual(['https://app.example.com/cb']);
  });

  test('is needed where users are sent back', async () => {
    expect(await org.admin.post(CLIENTS, { body: client({ redirect_uris: [] }) })).toMatchObject({
      status: 400,
      body: { error: 'invalid_redirect_uri' },
    });
  });
});

describe('metadata that are wrong are invalid_client_metadata, by name', () => {
  const keys = [newPublicJwk('one')];
  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['client_name', { client_name: ' ' }],
    ['client_name', { client_name: undefined }],
    ['client_name', { client_name: 7 }],
    ['application_type', { application_type: 'desktop' }],
    ['grant_types', { grant_types: ['magic'] }],
    ['grant_types', { grant_types: [] }],
    ['grant_types', { application_type: 'browser', grant_types: ['client_credentials'] }],
    ['response_types', { response_types: ['token'] }],
    ['response_types', { grant_types: ['authorization_code', 'implicit'], response_types: ['code'] }],
    ['response_types', { response_types: ['everything'] }],
    ['token_endpoint_auth_method', { token_endpoint_auth_method: 'trust_me' }],
    ['token_endpoint_auth_method', { application_type: 'service', token_endpoint_auth_method: 'none' }],
    ['post_logout_redirect_uris', { post_logout_redirect_uris: ['javascript:alert(1)'] }],
    ['logo_uri', { logo_uri: 'javascript:alert(1)' }],
    ['client_uri', { client_uri: 'ftp://example.com' }],
    ['tos_uri', { tos_uri: '//example.com' }],
    ['policy_uri', { policy_uri: 'data:text/html,x' }],
    ['initiate_login_uri', { initiate_login_uri: 'app:/login' }],
    ['jwks_uri', { jwks_uri: 'http://keys.example.com' }],
    ['backchannel_logout_uri', { backchannel_logout_uri: 'http://app.example.com/logout' }],
    ['backchannel_logout_uri', { backchannel_logout_uri: 'https://app.example.com/logout#x' }],
    ['backchannel_token_delivery_mode', { backchannel_token_delivery_mode: 'push' }],
    ['backchannel_authentication_request_signing_alg', { backchannel_authentication_request_signing_alg: 'none' }],
    ['grant_types', { grant_types: ['urn:openid:params:grant-type:ciba'], application_type: 'native' }],
    ['dpop_bound_access_tokens', { dpop_bound_access_tokens: 'yes' }],
    ['jwks', { jwks: { keys: [...keys, { kty: 'oct', k: 'c2VjcmV0' }] } }],
  ])('%s: %j', async (field, given) => {
    const answer = await org.admin.post(CLIENTS, { body: client(given) });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } });
    expect(answer.body.error_description).toContain(field);
  });

  test('all faults are told at once', async () => {
    const body = client({ logo_uri: 'x', tos_uri: 'y', redirect_uris: ['z'] });
    const answer = await org.admin.post(CLIENTS, { body });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_redirect_uri' } });
    for (const field of ['logo_uri', 'tos_uri', 'redirect_uris'])
      expect(answer.body.error_description).toContain(field);
  });

  test('what is no JSON too', async () => {
    const headers = { 'content-type': 'application/json' };
    expect(await org.admin.post(CLIENTS, { raw: '{"client_name":', headers })).toMatchObject({
      status: 400,
      body: { error: 'invalid_client_metadata' },
    });
  });

  test('and nothing is left behind', async () => {
    const own = await service.newOrg();
    await own.admin.post(CLIENTS, { body: client({ logo_uri: 'x' }) });
    expect((await own.admin.get(CLIENTS)).body).toEqual([]);
    expect(await own.systemLog('eventType sw "application"')).toEqual([]);
  });
});

test('row 79: nothing that metadata name is fetched', async () => {
  const inner = 'https://169.254.169.254/latest';
  const uris = { logo_uri: inner, jwks_uri: inner, tos_uri: inner, policy_uri: inner, client_uri: inner };
  const body = client({ ...uris, backchannel_logout_uri: inner, token_endpoint_auth_method: 'private_key_jwt' });
  expect(await org.admin.post(CLIENTS, { body })).toMatchObject({ status: 201 });
  expect(asked).toEqual([]);
});

test('row 79: registrations are limited by the minute', async () => {
  const own = await service.newOrg();
  await changeSettings(service, own, { rateLimits: { clients: 3 } });
  service.clock.advance(60_000 - (service.clock.now().getTime() % 60_000));
  const statuses: number[] = [];
  for (let count = 0; count < 5; count += 1) {
    statuses.push((await own.admin.post(CLIENTS, { body: client() })).status);
  }
  expect(statuses).toEqual([201, 201, 201, 429, 429]);
  expect((await own.admin.get('/api/v1/apps')).body).toHaveLength(3);
});
