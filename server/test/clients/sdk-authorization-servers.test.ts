import { describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { createGroup } from '../support/groups.ts';
import { FORBIDDEN, startNodeSdkApps } from './node-sdk-apps.ts';

const apps = beforeTests(() => startNodeSdkApps());
const sdk = beforeTests(() => apps.connectAs(apps.org.adminToken));

type Given = Readonly<Record<string, unknown>>;
const GONE = { status: 404, errorCode: 'E0000007' };
const call = (method: string, argument: Given = {}) => sdk.call(`authorizationServerApi.${method}`, argument);
const collect = (method: string, argument: Given = {}) => sdk.collect(`authorizationServerApi.${method}`, argument);
const models = (method: string, argument: Given = {}) => sdk.models(`authorizationServerApi.${method}`, argument);
const refusal = (method: string, argument: Given = {}) => sdk.refusal(`authorizationServerApi.${method}`, argument);

let made = 0;
const newServer = async (): Promise<string> => {
  made += 1;
  const authorizationServer = { name: `SDK server ${made}`, audiences: [`api://sdk-${made}`] };
  return (await call('createAuthorizationServer', { authorizationServer })).id;
};

async function endLife(what: string, argument: Given): Promise<void> {
  await call(`deactivate${what}`, argument);
  expect(await call(`get${what}`, argument)).toMatchObject({ status: 'INACTIVE' });
  await call(`activate${what}`, argument);
  expect(await call(`get${what}`, argument)).toMatchObject({ status: 'ACTIVE' });
  await call(`delete${what}`, argument);
  expect(await refusal(`get${what}`, argument)).toMatchObject(GONE);
}

describe('the SDK', () => {
  test('makes, lists, replaces and ends servers', async () => {
    const authServerId = await newServer();
    const argument = { authServerId };
    const server = await call('getAuthorizationServer', argument);
    expect(server).toMatchObject({
      issuer: `${apps.org.baseUrl}/oauth2/${authServerId}`,
      credentials: { signing: { rotationMode: 'AUTO', kid: expect.any(String) } },
    });
    expect(await models('getAuthorizationServer', argument)).toMatchObject([{ item: 'AuthorizationServer' }]);
    const authorizationServer = { ...server, description: 'replaced by the SDK' };
    expect(await call('replaceAuthorizationServer', { ...argument, authorizationServer })).toMatchObject({
      id: authServerId,
      description: 'replaced by the SDK',
    });
    await newServer();
    const paged = (await collect('listAuthorizationServers', { limit: 1 })).map(({ id }) => id);
    expect(paged).toEqual((await collect('listAuthorizationServers')).map(({ id }) => id));
    expect(await collect('listAuthorizationServers', { q: server.name })).toMatchObject([{ id: authServerId }]);
    await endLife('AuthorizationServer', argument);
  });

  test('knows the default server by its word', async () => {
    const authServerId = 'default';
    const server = await call('getAuthorizationServer', { authServerId });
    expect(server).toMatchObject({ name: 'default', issuer: `${apps.org.baseUrl}/oauth2/default` });
    const put = { authServerId, authorizationServer: { ...server, description: 'described' } };
    expect(await call('replaceAuthorizationServer', put)).toMatchObject({ description: 'described' });
    const scopes = await collect('listOAuth2Scopes', { authServerId });
    expect(scopes.map(({ name }) => name)).toContain('offline_access');
    expect(await refusal('deleteAuthorizationServer', { authServerId })).toMatchObject({ status: 400 });
  });

  test('makes scopes and claims', async () => {
    const authServerId = await newServer();
    const oAuth2Scope = { name: 'car:drive', consent: 'REQUIRED', metadataPublish: 'ALL_CLIENTS' };
    const scope = await call('createOAuth2Scope', { authServerId, oAuth2Scope });
    const ofScope = { authServerId, scopeId: scope.id };
    expect(await models('getOAuth2Scope', ofScope)).toMatchObject([{ item: 'OAuth2Scope' }]);
    const renamed = { ...ofScope, oAuth2Scope: { ...scope, displayName: 'Drive' } };
    expect(await call('replaceOAuth2Scope', renamed)).toMatchObject({ ...oAuth2Scope, displayName: 'Drive' });
    expect(await collect('listOAuth2Scopes', { authServerId, limit: 3 })).toHaveLength(8);
    expect(await collect('listOAuth2Scopes', { authServerId, q: 'car' })).toMatchObject([{ id: scope.id }]);

    const oAuth2Claim = {
      name: 'crews',
      claimType: 'IDENTITY',
      valueType: 'GROUPS',
      group_filter_type: 'STARTS_WITH',
      value: 'crew-',
      conditions: { scopes: ['car:drive'] },
    };
    const claim = await call('createOAuth2Claim', { authServerId, oAuth2Claim });
    const ofClaim = { authServerId, claimId: claim.id };
    expect(claim).toMatchObject(oAuth2Claim);
    expect(await models('getOAuth2Claim', ofClaim)).toMatchObject([{ item: 'OAuth2Claim' }]);
    const replaced = { ...ofClaim, oAuth2Claim: { ...claim, value: 'team-' } };
    expect(await call('replaceOAuth2Claim', replaced)).toMatchObject({ value: 'team-' });
    expect(await collect('listOAuth2Claims', { authServerId })).toHaveLength(20);
    await call('deleteOAuth2Claim', ofClaim);
    expect(await refusal('getOAuth2Claim', ofClaim)).toMatchObject(GONE);
    await call('deleteOAuth2Scope', ofScope);
    expect(await refusal('getOAuth2Scope', ofScope)).toMatchObject(GONE);
  });

  test('makes policies and rules', async () => {
    const authServerId = await newServer();
    const group = await createGroup(apps.org);
    const policy = {
      type: 'OAUTH_AUTHORIZATION_POLICY',
      name: 'made by the SDK',
      description: 'for all',
      priority: 1,
      conditions: { clients: { include: ['ALL_CLIENTS'] } },
    };
    const { id: policyId } = await call('createAuthorizationServerPolicy', { authServerId, policy });
    const ofPolicy = { authServerId, policyId };
    expect(await models('getAuthorizationServerPolicy', ofPolicy)).toMatchObject([
      { item: 'AuthorizationServerPolicy' },
    ]);
    const renamed = { ...ofPolicy, policy: { ...policy, name: 'renamed' } };
    expect(await call('replaceAuthorizationServerPolicy', renamed)).toMatchObject({ id: policyId, name: 'renamed' });
    expect(await collect('listAuthorizationServerPolicies', { authServerId })).toMatchObject([{ id: policyId }]);

    const policyRule = {
      type: 'RESOURCE_ACCESS',
      name: 'made by the SDK',
      conditions: {
        people: { groups: { include: [group.id] } },
        grantTypes: { include: ['authorization_code', 'urn:okta:params:oauth:grant-type:otp'] },
        scopes: { include: ['openid'] },
      },
      actions: { token: { accessTokenLifetimeMinutes: 15 } },
    };
    const rule = await call('createAuthorizationServerPolicyRule', { ...ofPolicy, policyRule });
    expect(rule).toMatchObject(policyRule);
    const ofRule = { ...ofPolicy, ruleId: rule.id };
    expect(await models('getAuthorizationServerPolicyRule', ofRule)).toMatchObject([
      { item: 'AuthorizationServerPolicyRule' },
    ]);
    const shorter = { ...rule, actions: { token: { accessTokenLifetimeMinutes: 5 } } };
    const put = { ...ofRule, policyRule: shorter };
    const replaced = { ...shorter, lastUpdated: expect.anything() };
    expect(await call('replaceAuthorizationServerPolicyRule', put)).toMatchObject(replaced);
    expect(await collect('listAuthorizationServerPolicyRules', ofPolicy)).toMatchObject([{ id: rule.id }]);
    await endLife('AuthorizationServerPolicyRule', ofRule);
    await endLife('AuthorizationServerPolicy', ofPolicy);
  });

  test('as an app, reads by one scope and changes by the other', async () => {
    const reader = await apps.connect({
      scopes: ['okta.authorizationServers.read'],
      roles: ['API_ACCESS_MANAGEMENT_ADMIN'],
    });
    const servers = await reader.collect('authorizationServerApi.listAuthorizationServers');
    expect(servers.map(({ name }) => name)).toContain('default');
    const authorizationServer = { name: 'never made', audiences: ['api://never'] };
    const create = 'authorizationServerApi.createAuthorizationServer';
    expect(await reader.refusal(create, { authorizationServer })).toMatchObject(FORBIDDEN);
    const manager = await apps.connect({
      scopes: ['okta.authorizationServers.manage'],
      roles: ['API_ACCESS_MANAGEMENT_ADMIN'],
    });
    const body = { ...authorizationServer, name: 'made by an app' };
    expect(await manager.call(create, { authorizationServer: body })).toMatchObject(body);
  });
});
