import { describe, expect, test } from 'vitest';
import { newSamlApp } from '../support/app-kinds.ts';
import { createApp, newPublicJwk, serviceApp, webApp } from '../support/apps.ts';
import { beforeTests } from '../support/before-tests.ts';
import type { TestResponse } from '../support/client.ts';
import { startNodeSdkApps } from './node-sdk-apps.ts';

type Body = TestResponse['body'];

const apps = beforeTests(() => startNodeSdkApps());
const sdk = beforeTests(() => apps.connectAs(apps.org.adminToken));

const GONE = { status: 404, errorCode: 'E0000007' };
const api = 'applicationSSOPublicKeysApi';
const statuses = (items: readonly Body[]): string[] => items.map(({ status }) => status);

describe('the SDK', () => {
  test('adds, lists, reads, switches and deletes keys of a client', async () => {
    const byKey = { token_endpoint_auth_method: 'private_key_jwt' };
    const keys = [newPublicJwk('first')];
    const { id: appId } = await createApp(apps.org, serviceApp({ jwks: { keys } }, byKey));
    const added = await sdk.call(`${api}.addJwk`, { appId, addJwkRequest: newPublicJwk('second') });
    expect(added).toMatchObject({ kid: 'second', status: 'ACTIVE' });
    const argument = { appId, keyId: added.id };
    expect(await sdk.call(`${api}.getJwk`, argument)).toMatchObject({ id: added.id, kid: 'second' });
    // The SDK expects an object with `keys`, as in an older contract, and cannot read today's list.
    expect(await sdk.refusal(`${api}.listJwk`, { appId })).toMatchObject({ message: 'data is not iterable' });
    const { body: listed } = await apps.org.admin.get(`/api/v1/apps/${appId}/credentials/jwks`);
    expect(listed.map(({ kid }: Body) => kid).toSorted()).toEqual(['first', 'second']);
    expect(await sdk.refusal(`${api}.deletejwk`, argument)).toMatchObject({ status: 400, errorCode: 'E0000001' });
    expect(await sdk.call(`${api}.deactivateOAuth2ClientJsonWebKey`, argument)).toMatchObject({ status: 'INACTIVE' });
    expect(await sdk.call(`${api}.activateOAuth2ClientJsonWebKey`, argument)).toMatchObject({ status: 'ACTIVE' });
    await sdk.call(`${api}.deactivateOAuth2ClientJsonWebKey`, argument);
    await sdk.call(`${api}.deletejwk`, argument);
    expect(await sdk.refusal(`${api}.getJwk`, argument)).toMatchObject(GONE);
  });

  test('makes, lists, reads, switches and deletes secrets of a client', async () => {
    const { id: appId } = await createApp(apps.org, webApp());
    const secret = 'a-secret-that-the-SDK-brings-along';
    const made = await sdk.call(`${api}.createOAuth2ClientSecret`, {
      appId,
      oAuth2ClientSecretRequestBody: { client_secret: secret },
    });
    expect(made).toMatchObject({ client_secret: secret, status: 'ACTIVE' });
    const argument = { appId, secretId: made.id };
    expect(await sdk.models(`${api}.getOAuth2ClientSecret`, argument)).toMatchObject([{ item: 'OAuth2ClientSecret' }]);
    expect(await sdk.models(`${api}.listOAuth2ClientSecrets`, { appId })).toMatchObject([
      { item: 'OAuth2ClientSecret' },
      { item: 'OAuth2ClientSecret' },
    ]);
    const third = { appId, oAuth2ClientSecretRequestBody: {} };
    expect(await sdk.refusal(`${api}.createOAuth2ClientSecret`, third)).toMatchObject({ status: 400 });
    expect(await sdk.call(`${api}.deactivateOAuth2ClientSecret`, argument)).toMatchObject({ status: 'INACTIVE' });
    expect(statuses(await sdk.collect(`${api}.listOAuth2ClientSecrets`, { appId })).toSorted()).toEqual([
      'ACTIVE',
      'INACTIVE',
    ]);
    expect(await sdk.call(`${api}.activateOAuth2ClientSecret`, argument)).toMatchObject({ status: 'ACTIVE' });
    await sdk.call(`${api}.deactivateOAuth2ClientSecret`, argument);
    await sdk.call(`${api}.deleteOAuth2ClientSecret`, argument);
    expect(await sdk.refusal(`${api}.getOAuth2ClientSecret`, argument)).toMatchObject(GONE);
  });

  test('grants scopes, lists and reads the grants, and takes them back', async () => {
    const { id: appId } = await createApp(apps.org, serviceApp());
    const grant = (scopeId: string) => ({
      appId,
      oAuth2ScopeConsentGrant: { issuer: apps.org.baseUrl, scopeId },
    });
    const made = await sdk.call('applicationApi.grantConsentToScope', grant('okta.users.read'));
    expect(made).toMatchObject({ scopeId: 'okta.users.read', status: 'ACTIVE' });
    const argument = { appId, grantId: made.id };
    expect(await sdk.models('applicationApi.getScopeConsentGrant', argument)).toMatchObject([
      { item: 'OAuth2ScopeConsentGrant' },
    ]);
    expect(await sdk.collect('applicationApi.listScopeConsentGrants', { appId })).toMatchObject([{ id: made.id }]);
    const unknown = await sdk.refusal('applicationApi.grantConsentToScope', grant('okta.nothing.read'));
    expect(unknown.status).toBe(400);
    await sdk.call('applicationApi.revokeScopeConsentGrant', argument);
    expect(await sdk.refusal('applicationApi.getScopeConsentGrant', argument)).toMatchObject(GONE);
  });

  test('deactivates a connection, after which there are no features', async () => {
    const application = { label: 'SDK connection', signOnMode: 'SAML_2_0', settings: newSamlApp()['settings'] };
    const { id: appId } = await sdk.call('applicationApi.createApplication', { application });
    expect(await sdk.refusal('applicationApi.listFeaturesForApplication', { appId })).toMatchObject({ status: 400 });
    await sdk.call('applicationApi.updateDefaultProvisioningConnectionForApplication', {
      appId,
      ProvisioningConnectionRequest: { profile: { authScheme: 'TOKEN', token: 'TEST' } },
      activate: true,
    });
    expect(await sdk.collect('applicationApi.listFeaturesForApplication', { appId })).toHaveLength(2);
    await sdk.call('applicationApi.deactivateDefaultProvisioningConnectionForApplication', { appId });
    expect(await sdk.call('applicationApi.getDefaultProvisioningConnectionForApplication', { appId })).toMatchObject({
      status: 'DISABLED',
    });
    expect(await sdk.refusal('applicationApi.listFeaturesForApplication', { appId })).toMatchObject({ status: 400 });
  });
});
