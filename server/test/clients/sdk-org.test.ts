import { describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { newOidcProvider, newProviderKey } from '../support/identity-providers.ts';
import { seedToken } from '../support/seeds.ts';
import { startNodeSdkApps } from './node-sdk-apps.ts';

const apps = beforeTests(() => startNodeSdkApps());
const sdk = beforeTests(() => apps.connectAs(apps.org.adminToken));

const GONE = { status: 404, errorCode: 'E0000007' };

describe('the SDK', () => {
  test('lists, reads, enables and disables features', async () => {
    const [feature] = await sdk.collect('featureApi.listFeatures');
    const argument = { featureId: feature.id };
    expect(await sdk.models('featureApi.getFeature', argument)).toMatchObject([
      { item: 'Feature', members: { stage: 'FeatureStage', _links: 'FeatureLinks' } },
    ]);
    expect(await sdk.call('featureApi.getFeature', argument)).toMatchObject({
      type: 'self-service',
      status: 'DISABLED',
      stage: { value: 'EA' },
    });
    const turned = { ...argument, lifecycle: 'ENABLE', mode: 'force' };
    expect(await sdk.call('featureApi.updateFeatureLifecycle', turned)).toMatchObject({ status: 'ENABLED' });
    const back = { ...argument, lifecycle: 'DISABLE' };
    expect(await sdk.call('featureApi.updateFeatureLifecycle', back)).toMatchObject({ status: 'DISABLED' });
    expect(await sdk.collect('featureApi.listFeatureDependencies', argument)).toEqual([]);
    expect(await sdk.collect('featureApi.listFeatureDependents', argument)).toEqual([]);
    const unknown = { featureId: 'ftr00000000000000000' };
    expect(await sdk.refusal('featureApi.getFeature', unknown)).toMatchObject(GONE);
    const unturned = { ...unknown, lifecycle: 'ENABLE' };
    expect(await sdk.refusal('featureApi.updateFeatureLifecycle', unturned)).toMatchObject(GONE);
  });

  test('replaces the settings of the org, with what it read', async () => {
    const read = await sdk.call('orgSettingApi.getOrgSettings');
    const OrgSetting = { ...read, city: 'Paris' };
    expect(await sdk.call('orgSettingApi.replaceOrgSettings', { OrgSetting })).toMatchObject({ city: 'Paris' });
    const emptied = { OrgSetting: { companyName: read.companyName } };
    expect((await sdk.call('orgSettingApi.replaceOrgSettings', emptied)).city ?? null).toBeNull();
    expect(await sdk.refusal('orgSettingApi.replaceOrgSettings', { OrgSetting: {} })).toMatchObject({ status: 400 });
  });

  test('replaces identity providers', async () => {
    const identityProvider = newOidcProvider();
    const made = await sdk.call('identityProviderApi.createIdentityProvider', { identityProvider });
    const renamed = { idpId: made.id, identityProvider: { ...identityProvider, name: 'renamed by the SDK' } };
    expect(await sdk.call('identityProviderApi.replaceIdentityProvider', renamed)).toMatchObject({
      id: made.id,
      name: 'renamed by the SDK',
    });
    const nameless = { idpId: made.id, identityProvider: { ...identityProvider, name: '' } };
    expect(await sdk.refusal('identityProviderApi.replaceIdentityProvider', nameless)).toMatchObject({ status: 400 });
  });

  test('manages the keys of identity providers', async () => {
    const jsonWebKey = newProviderKey();
    const { kid } = await sdk.call('identityProviderApi.createIdentityProviderKey', { jsonWebKey });
    const argument = { keyId: kid };
    expect(await sdk.models('identityProviderApi.getIdentityProviderKey', argument)).toMatchObject([
      { item: 'IdPKeyCredential', members: { expiresAt: 'Date' } },
    ]);
    const listed = await sdk.collect('identityProviderApi.listIdentityProviderKeys');
    expect(listed.map((key) => key.kid)).toContain(kid);
    const replaced = {
      ...argument,
      idPKeyCredential: { ...(await sdk.call('identityProviderApi.getIdentityProviderKey', argument)) },
    };
    expect(await sdk.call('identityProviderApi.replaceIdentityProviderKey', replaced)).toMatchObject({ kid });
    const empty = { ...argument, idPKeyCredential: {} };
    expect(await sdk.refusal('identityProviderApi.replaceIdentityProviderKey', empty)).toMatchObject({ status: 400 });
    await sdk.call('identityProviderApi.deleteIdentityProviderKey', argument);
    expect(await sdk.refusal('identityProviderApi.getIdentityProviderKey', argument)).toMatchObject(GONE);
  });

  test('replaces network zones', async () => {
    const zone = { type: 'IP', name: 'of the SDK', gateways: [{ type: 'CIDR', value: '203.0.113.0/24' }] };
    const { id } = await sdk.call('networkZoneApi.createNetworkZone', { zone });
    const renamed = { zoneId: id, zone: { ...zone, name: 'renamed by the SDK' } };
    expect(await sdk.call('networkZoneApi.replaceNetworkZone', renamed)).toMatchObject({ name: 'renamed by the SDK' });
    const broken = { zoneId: id, zone: { ...zone, gateways: [{ type: 'CIDR', value: 'nowhere' }] } };
    expect(await sdk.refusal('networkZoneApi.replaceNetworkZone', broken)).toMatchObject({ status: 400 });
  });

  test('revokes the API token that it came with', async () => {
    const { application, clock, org } = apps.service;
    const seeded = { orgId: org.id, baseUrl: apps.org.baseUrl };
    const { token } = await seedToken(application, clock, seeded, ['READ_ONLY_ADMIN']);
    const own = await apps.connectAs(token);
    await own.call('apiTokenApi.revokeCurrentApiToken');
    expect(await own.refusal('userApi.getUser', { userId: 'me' })).toMatchObject({ status: 401 });
  });
});
