import { describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { newOidcProvider, newProviderKey } from '../support/identity-providers.ts';
import { newSamlProvider } from '../support/provider-requests.ts';
import { newTestKey, type TestKey } from '../support/service-apps.ts';
import { CREDENTIALS, PASSWORD } from '../support/users.ts';
import { pem, startNodeSdkApps, UNAUTHORIZED } from './node-sdk-apps.ts';

const apps = beforeTests(() => startNodeSdkApps());
const sdk = beforeTests(() => apps.connect({ scopes: SCOPES, roles: ['SUPER_ADMIN'] }));

const SCOPES = [
  'okta.apps.manage',
  'okta.appGrants.manage',
  'okta.roles.manage',
  'okta.users.manage',
  'okta.sessions.manage',
  'okta.networkZones.manage',
  'okta.policies.manage',
  'okta.idps.manage',
];

const newApp = (oauthClient: object, authMethod: string) => ({
  name: 'oidc_client',
  label: `made by the SDK for ${authMethod}`,
  signOnMode: 'OPENID_CONNECT',
  credentials: { oauthClient: { token_endpoint_auth_method: authMethod, autoKeyRotation: true } },
  settings: { oauthClient },
});

const newWebApp = () =>
  newApp(
    {
      application_type: 'web',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      redirect_uris: ['https://app.example/callback'],
    },
    'client_secret_post',
  );

const newClientOf = ({ jwk }: TestKey) =>
  newApp(
    {
      application_type: 'service',
      grant_types: ['client_credentials'],
      response_types: ['token'],
      jwks: { keys: [jwk] },
    },
    'private_key_jwt',
  );

const GONE = { status: 404, errorCode: 'E0000007' };

async function endLife(api: string, noun: string, argument: Readonly<Record<string, unknown>>): Promise<void> {
  await sdk.call(`${api}.deactivate${noun}`, argument);
  expect(await sdk.call(`${api}.get${noun}`, argument)).toMatchObject({ status: 'INACTIVE' });
  await sdk.call(`${api}.activate${noun}`, argument);
  expect(await sdk.call(`${api}.get${noun}`, argument)).toMatchObject({ status: 'ACTIVE' });
  await sdk.call(`${api}.deactivate${noun}`, argument);
  await sdk.call(`${api}.delete${noun}`, argument);
  expect(await sdk.refusal(`${api}.get${noun}`, argument)).toMatchObject(GONE);
}

describe('a service app with every role and scope', () => {
  test('manages web apps', async () => {
    const { id, credentials } = await sdk.call('applicationApi.createApplication', { application: newWebApp() });
    expect(credentials.oauthClient).toMatchObject({ client_id: id, client_secret: expect.stringMatching(/^\S{40,}$/) });
    expect(await sdk.models('applicationApi.getApplication', { appId: id })).toMatchObject([
      { item: 'OpenIdConnectApplication', members: { settings: 'OpenIdConnectApplicationSettings' } },
    ]);
    expect((await sdk.collect('applicationApi.listApplications')).map((app) => app.id)).toContain(id);
    await endLife('applicationApi', 'Application', { appId: id });
  });

  test('makes a service app, which works until it is deactivated', async () => {
    const key = newTestKey();
    const { id } = await sdk.call('applicationApi.createApplication', { application: newClientOf(key) });
    const oAuth2ScopeConsentGrant = { issuer: apps.org.baseUrl, scopeId: 'okta.users.read' };
    await sdk.call('applicationApi.grantConsentToScope', { appId: id, oAuth2ScopeConsentGrant });
    const assignRoleRequest = { type: 'READ_ONLY_ADMIN' };
    await sdk.call('roleAssignmentApi.assignRoleToClient', { clientId: id, assignRoleRequest });
    expect(await sdk.models('roleAssignmentApi.listRolesForClient', { clientId: id })).toMatchObject([
      { item: 'StandardRole' },
    ]);

    const made = await apps.connectAs({ clientId: id, privateKey: pem(key), scopes: 'okta.users.read' });
    const argument = { userId: (await apps.service.org.createUser()).id };
    expect(await made.call('userApi.getUser', argument)).toMatchObject({ id: argument.userId });
    await sdk.call('applicationApi.deactivateApplication', { appId: id });
    const another = { userId: (await apps.service.org.createUser()).id };
    expect(await made.refusal('userApi.getUser', another)).toMatchObject(UNAUTHORIZED);
    await sdk.call('applicationApi.activateApplication', { appId: id });
    expect(await made.call('userApi.getUser', another)).toMatchObject({ id: another.userId });
  });

  // The service refuses `locations` and `asns` as the SDK sends them, so the dynamic zone has only a proxy type.
  test.each([
    ['IPNetworkZone', { type: 'IP', gateways: [{ type: 'CIDR', value: '203.0.113.0/24' }] }],
    ['DynamicNetworkZone', { type: 'DYNAMIC', proxyType: 'Tor' }],
  ])('manages network zones of the class %s', async (item, given) => {
    const zone = { name: `made by the SDK: ${item}`, ...given };
    const { id } = await sdk.call('networkZoneApi.createNetworkZone', { zone });
    const argument = { zoneId: id };
    expect(await sdk.call('networkZoneApi.getNetworkZone', argument)).toMatchObject(zone);
    expect(await sdk.models('networkZoneApi.getNetworkZone', argument)).toMatchObject([{ item }]);
    await endLife('networkZoneApi', 'NetworkZone', argument);
  });

  test('reads enhanced dynamic zones, in a list with others', async () => {
    const body = { type: 'DYNAMIC_V2', name: 'made by an administrator', locations: { include: [{ country: 'DE' }] } };
    expect(await apps.org.admin.post('/api/v1/zones', { body })).toMatchObject({ status: 200 });
    const listed = await sdk.models('networkZoneApi.listNetworkZones');
    expect(new Set(listed.map(({ item }) => item))).toEqual(new Set(['IPNetworkZone', 'EnhancedDynamicNetworkZone']));
  });

  test('manages sign-on policies and their rules', async () => {
    const policy = { type: 'OKTA_SIGN_ON', name: 'made by the SDK' };
    const { id } = await sdk.call('policyApi.createPolicy', { policy });
    const listed = await sdk.models('policyApi.listPolicies', { type: 'OKTA_SIGN_ON' });
    expect(listed.map(({ item }) => item)).toEqual(['OktaSignOnPolicy', 'OktaSignOnPolicy']);
    const policyRule = { type: 'SIGN_ON', name: 'made by the SDK', actions: { signon: { access: 'ALLOW' } } };
    const rule = await sdk.call('policyApi.createPolicyRule', { policyId: id, policyRule });
    expect(await sdk.models('policyApi.listPolicyRules', { policyId: id })).toMatchObject([
      { item: 'OktaSignOnPolicyRule' },
    ]);
    await endLife('policyApi', 'PolicyRule', { policyId: id, ruleId: rule.id });
    await endLife('policyApi', 'Policy', { policyId: id });
  });

  test('reads the routing policy and its rule', async () => {
    const [policy] = await sdk.collect('policyApi.listPolicies', { type: 'IDP_DISCOVERY' });
    expect(policy).toMatchObject({ type: 'IDP_DISCOVERY', system: true });
    expect(await sdk.models('policyApi.getPolicy', { policyId: policy.id })).toMatchObject([
      { item: 'IdpDiscoveryPolicy' },
    ]);
    expect(await sdk.models('policyApi.listPolicyRules', { policyId: policy.id })).toMatchObject([
      { item: 'IdpDiscoveryPolicyRule' },
    ]);
  });

  const newProviderKid = async (): Promise<string> =>
    (await sdk.call('identityProviderApi.createIdentityProviderKey', { jsonWebKey: newProviderKey() })).kid;

  test.each([
    ['ProtocolOidc', () => Promise.resolve(newOidcProvider())],
    ['ProtocolSaml', async () => newSamlProvider(await newProviderKid())],
  ])('manages identity providers with %s', async (protocol, newProvider) => {
    const identityProvider = await newProvider();
    const { id } = await sdk.call('identityProviderApi.createIdentityProvider', { identityProvider });
    const [models] = await sdk.models('identityProviderApi.getIdentityProvider', { idpId: id });
    expect(models).toMatchObject({ item: 'IdentityProvider', members: { protocol } });
    const listed = await sdk.collect('identityProviderApi.listIdentityProviders');
    expect(listed.map((provider) => provider.id)).toContain(id);
    await endLife('identityProviderApi', 'IdentityProvider', { idpId: id });
  });

  test("opens, reads, extends and ends a user's session", async () => {
    const user = await apps.service.org.createUser({ credentials: CREDENTIALS });
    const body = { username: user.profile.login, password: PASSWORD };
    const { sessionToken } = (await apps.service.org.anonymous.post('/api/v1/authn', { body })).body;
    const createSessionRequest = { sessionToken };
    const { id } = await sdk.call('sessionApi.createSession', { createSessionRequest });
    const argument = { sessionId: id };
    const read = await sdk.call('sessionApi.getSession', argument);
    expect(read).toMatchObject({ id, userId: user.id, status: 'ACTIVE' });
    expect(await sdk.models('sessionApi.getSession', argument)).toMatchObject([{ item: 'Session' }]);
    apps.service.clock.advance(60_000);
    const { expiresAt } = await sdk.call('sessionApi.refreshSession', argument);
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.parse(read.expiresAt));
    apps.service.clock.advance(-60_000);
    await sdk.call('sessionApi.revokeSession', argument);
    expect(await sdk.refusal('sessionApi.getSession', argument)).toMatchObject(GONE);
    expect(await sdk.refusal('sessionApi.createSession', { createSessionRequest })).toMatchObject({
      status: 401,
      errorCode: 'E0000004',
    });
  });
});
