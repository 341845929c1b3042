import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { APPS, invalidField, serviceApp, webApp } from '../support/apps.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();

describe('create refuses', () => {
  test.each([
    ['signOnMode', webApp({}, {}, { signOnMode: 'PIGEON' })],
    ['signOnMode', { label: 'App' }],
    ['label', { signOnMode: 'OPENID_CONNECT' }],
    ['label', webApp({}, {}, { label: '  ' })],
    ['label', webApp({}, {}, { label: 'x'.repeat(256) })],
    ['label', webApp({}, {}, { label: 5 })],
    ['name', webApp({}, {}, { name: 'bookmark' })],
    ['settings.oauthClient', webApp({}, {}, { settings: {} })],
    ['settings.oauthClient.grant_types', webApp({ grant_types: undefined })],
    ['settings.oauthClient.grant_types', webApp({ grant_types: ['magic'] })],
    ['settings.oauthClient.grant_types', serviceApp({ grant_types: ['implicit'] })],
    ['settings.oauthClient.application_type', webApp({ application_type: 'robot' })],
    ['settings.oauthClient.consent_method', webApp({ consent_method: 'SOMETIMES' })],
    ['settings.oauthClient.issuer_mode', webApp({ issuer_mode: 'MINE' })],
    ['settings.oauthClient.response_types.0', webApp({ response_types: ['none'] })],
    ['settings.oauthClient.wildcard_redirect', webApp({ wildcard_redirect: 'ALL' })],
    ['settings.oauthClient.redirect_uris', webApp({ redirect_uris: ['https://app.example.com/#cb'] })],
    ['settings.oauthClient.redirect_uris', webApp({ redirect_uris: ['https://*.example.com/cb'] })],
    ['settings.oauthClient.redirect_uris', webApp({ redirect_uris: ['myapp://cb'] })],
    ['settings.oauthClient.redirect_uris', webApp({ redirect_uris: [] })],
    ['settings.oauthClient.redirect_uris.0', webApp({ redirect_uris: [5] })],
    ['settings.oauthClient.redirect_uris.0', webApp({ redirect_uris: [`https://a.example/${'x'.repeat(1_024)}`] })],
    ['settings.oauthClient.tos_uri', webApp({ tos_uri: 'javascript:alert(1)' })],
    ['settings.oauthClient.policy_uri', webApp({ policy_uri: 'data:text/html,x' })],
    ['settings.oauthClient.refresh_token.leeway', webApp({ refresh_token: { rotation_type: 'ROTATE', leeway: 61 } })],
    ['settings.oauthClient.network.connection', webApp({ network: { connection: 'ZONE', include: ['nzo1'] } })],
    ['credentials.oauthClient.client_id', webApp({}, { client_id: 'chosen by us' })],
    ['credentials.oauthClient.client_secret', webApp({}, { client_secret: 'short' })],
    ['credentials.oauthClient.token_endpoint_auth_method', webApp({}, { token_endpoint_auth_method: 'tls' })],
    ['credentials.oauthClient.token_endpoint_auth_method', serviceApp({}, { token_endpoint_auth_method: 'none' })],
    ['credentials.oauthClient.pkce_required', webApp({ application_type: 'browser' }, { pkce_required: false })],
  ])('%s: %j', async (field, body) => {
    const before = (await org.systemLog('eventType sw "application"')).length;
    expect(await org.admin.post(APPS, { body })).toMatchObject(invalidField(field));
    expect(await org.systemLog('eventType sw "application"')).toHaveLength(before);
  });

  test('a private key, and makes no app', async () => {
    const own = await service.newOrg();
    const privateJwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
    const refused = await own.admin.post(APPS, { body: serviceApp({ jwks: { keys: [privateJwk] } }) });
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(refused.text).not.toContain(String(privateJwk.d));
    expect((await own.admin.get(APPS)).body).toEqual([]);
  });

  test('an activate that is no boolean', async () => {
    expect(await org.admin.post(`${APPS}?activate=maybe`, { body: webApp() })).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000037' },
    });
  });
});
