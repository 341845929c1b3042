import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newProfile, startTestService, type TestOrg, type TestService } from '../support/service.ts';
import { type NewServiceApp, newServiceApp, newTestKey, type TestKey } from '../support/service-apps.ts';
import { type NodeSdk, startNodeSdk } from './node-sdk.ts';

// The published SDK with a private key: it makes its own assertions, always with a DPoP proof, and gets its own tokens.

let service: TestService;
let org: TestOrg;
const open: NodeSdk[] = [];

beforeAll(async () => {
  service = await startTestService({ namespace: 'okta' });
  // The SDK goes by the machine's clock.
  service.clock.advance(Date.now() - service.clock.now().getTime());
  org = { ...service.org, baseUrl: `https://localhost:${service.port}` };
  org = { ...org, admin: org.client({ authorization: `SSWS ${org.adminToken}` }, 'localhost') };
});
afterAll(async () => {
  for (const sdk of open) await sdk.close();
  await service.close();
});

const pem = ({ privateKey }: TestKey): string => privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

async function connect(options: NewServiceApp, configured: { keyId?: string; scopes: string }): Promise<NodeSdk> {
  const app = await newServiceApp(org, options);
  const token = { clientId: app.id, privateKey: pem(app.key), ...configured };
  const sdk = await startNodeSdk({ orgUrl: org.baseUrl, caFile: service.caFile, token });
  open.push(sdk);
  return sdk;
}

const createUser = (sdk: NodeSdk) =>
  sdk.call('userApi.createUser', { body: { profile: newProfile() }, activate: false });

describe('a service app', () => {
  test('works by its scopes and its role', async () => {
    const key = newTestKey();
    const sdk = await connect(
      { key, scopes: ['okta.users.manage'], roles: ['USER_ADMIN'] },
      { keyId: key.kid, scopes: 'okta.users.manage' },
    );
    const { id } = await createUser(sdk);
    expect(await sdk.call('userApi.getUser', { userId: id })).toMatchObject({ id, status: 'STAGED' });
    const found = await sdk.collect('userApi.listUsers', { search: `id eq "${id}"` });
    expect(found.map((user) => user.id)).toEqual([id]);
    // Neither scope nor role opens apps.
    expect(await sdk.refusal('applicationApi.getApplication', { appId: 'any' })).toMatchObject({
      status: 403,
      errorCode: 'E0000006',
    });
    const [event] = await service.org.systemLog(`eventType eq "user.lifecycle.create" and target.id eq "${id}"`);
    expect(event.actor).toMatchObject({ type: 'PublicClientApp' });
  });

  test('needs no kid, also where several keys are registered', async () => {
    // Keys of elliptic curves are for openid-client's tests: this version of the SDK can't sign with them.
    const otherKeys = [newTestKey(), newTestKey('ES256')];
    const options = { otherKeys, scopes: ['okta.users.read'], roles: ['READ_ONLY_ADMIN'] };
    const sdk = await connect(options, { scopes: 'okta.users.read' });
    expect((await sdk.collect('userApi.listUsers')).length).toBeGreaterThan(0);
    expect(await sdk.refusal('userApi.createUser', { body: { profile: newProfile() } })).toMatchObject({ status: 403 });
  });

  test('without a role may do nothing', async () => {
    const sdk = await connect({ scopes: ['okta.users.read'] }, { scopes: 'okta.users.read' });
    expect(await sdk.refusal('userApi.createUser', { body: { profile: newProfile() } })).toMatchObject({
      status: 403,
      errorCode: 'E0000006',
    });
  });

  test('that asks for a scope it was not granted is told 401 by the API', async () => {
    const options = { scopes: ['okta.users.read'], roles: ['SUPER_ADMIN'] };
    const sdk = await connect(options, { scopes: 'okta.users.read okta.apps.manage' });
    expect(await sdk.refusal('userApi.getUser', { userId: 'any' })).toMatchObject({
      status: 401,
      errorCode: 'E0000011',
    });
  });

  test('whose tokens are bound to its key goes by DPoP, with a nonce', async () => {
    const options = {
      scopes: ['okta.users.read'],
      roles: ['READ_ONLY_ADMIN'],
      settings: { dpop_bound_access_tokens: true },
    };
    const sdk = await connect(options, { scopes: 'okta.users.read' });
    expect((await sdk.collect('userApi.listUsers')).length).toBeGreaterThan(0);
    expect((await sdk.collect('userApi.listUsers')).length).toBeGreaterThan(0);
    const calls = sdk.requests().filter(({ url }) => url.includes('/api/v1/'));
    const schemes = calls.map(({ headers }) => String(headers['Authorization']).split(' ')[0]);
    expect(new Set(schemes)).toEqual(new Set(['DPoP']));
  });

  test('manages apps, zones and policies, each as the model of its kind', async () => {
    const scopes = ['okta.apps.manage', 'okta.networkZones.manage', 'okta.policies.manage', 'okta.idps.manage'];
    const sdk = await connect({ scopes, roles: ['SUPER_ADMIN'] }, { scopes: scopes.join(' ') });
    const app = await sdk.call('applicationApi.createApplication', {
      application: {
        name: 'oidc_client',
        label: 'made by the SDK',
        signOnMode: 'OPENID_CONNECT',
        credentials: { oauthClient: { token_endpoint_auth_method: 'client_secret_post', autoKeyRotation: true } },
        settings: {
          oauthClient: {
            application_type: 'web',
            grant_types: ['authorization_code'],
            response_types: ['code'],
            redirect_uris: ['https://app.example/callback'],
          },
        },
      },
    });
    expect(app).toMatchObject({ signOnMode: 'OPENID_CONNECT', status: 'ACTIVE' });
    expect((await sdk.collect('applicationApi.listApplications')).map(({ id }) => id)).toContain(app.id);
    await sdk.call('applicationApi.deactivateApplication', { appId: app.id });
    await sdk.call('applicationApi.deleteApplication', { appId: app.id });
    const zone = await sdk.call('networkZoneApi.createNetworkZone', {
      zone: { type: 'IP', name: 'made by the SDK', gateways: [{ type: 'CIDR', value: '203.0.113.0/24' }] },
    });
    expect(zone).toMatchObject({ type: 'IP', status: 'ACTIVE' });
    await sdk.call('networkZoneApi.deactivateNetworkZone', { zoneId: zone.id });
    await sdk.call('networkZoneApi.deleteNetworkZone', { zoneId: zone.id });
    const policies = await sdk.collect('policyApi.listPolicies', { type: 'OKTA_SIGN_ON' });
    expect(policies).toMatchObject([{ type: 'OKTA_SIGN_ON', system: true }]);
  });
});
