import { describe, expect, test } from 'vitest';
import { assign, newOidcApp } from '../support/authorization.ts';
import { beforeTests } from '../support/before-tests.ts';
import { newServer } from '../support/consents.ts';
import { good } from '../support/custom-servers.ts';
import { seedConsent, seedRefreshToken } from '../support/refresh-tokens.ts';
import { CREDENTIALS } from '../support/users.ts';
import { startNodeSdkApps } from './node-sdk-apps.ts';

const apps = beforeTests(() => startNodeSdkApps());
const sdk = beforeTests(() => apps.connectAs(apps.org.adminToken));

const GONE = { status: 404, errorCode: 'E0000007' };

async function newWorld() {
  const { org, service } = apps;
  const { id: userId } = await org.createUser({ credentials: CREDENTIALS });
  const app = await newOidcApp(org);
  const { id: clientId } = app;
  await assign(org, app, userId);
  const { id: authServerId, path } = await newServer(org);
  const grants: string[] = [];
  const tokens: string[] = [];
  for (const name of ['orders.read', 'orders.write']) {
    const [scope] = await good(org.admin.get(`${path}/scopes?q=${name}`));
    grants.push(await seedConsent(service, org, { userId, clientId, serverId: authServerId, scopeId: scope.id }));
  }
  for (const _ of [1, 2, 3]) {
    tokens.push(await seedRefreshToken(service, org, { userId, clientId, serverId: authServerId, scopes: ['openid'] }));
  }
  return { userId, clientId, appId: clientId, authServerId, grants: grants.toSorted(), tokens: tokens.toSorted() };
}

const idsOf = (found: readonly { id: string }[]): readonly string[] => found.map(({ id }) => id);

describe('the SDK', () => {
  test('lists, reads and revokes grants of a user', async () => {
    const { clientId, grants, userId } = await newWorld();
    expect(idsOf(await sdk.collect('userApi.listUserGrants', { userId, limit: 1 }))).toEqual(grants);
    expect(await sdk.models('userApi.listUserGrants', { userId })).toMatchObject([
      { item: 'OAuth2ScopeConsentGrant' },
      { item: 'OAuth2ScopeConsentGrant' },
    ]);
    expect(idsOf(await sdk.collect('userApi.listGrantsForUserAndClient', { userId, clientId }))).toEqual(grants);
    const [grantId = ''] = grants;
    expect(await sdk.call('userApi.getUserGrant', { userId, grantId, expand: 'scope' })).toMatchObject({
      id: grantId,
      status: 'ACTIVE',
      source: 'END_USER',
      clientId,
      userId,
      _embedded: { scope: { id: expect.stringMatching(/^scp/) } },
    });
    expect(await sdk.collect('userApi.listUserClients', { userId })).toMatchObject([{ client_id: clientId }]);
    await sdk.call('userApi.revokeUserGrant', { userId, grantId });
    expect(await sdk.refusal('userApi.getUserGrant', { userId, grantId })).toMatchObject(GONE);
    await sdk.call('userApi.revokeGrantsForUserAndClient', { userId, clientId });
    await sdk.call('userApi.revokeUserGrants', { userId });
    expect(await sdk.collect('userApi.listUserGrants', { userId })).toEqual([]);
  });

  test.each([
    [
      'a user and client',
      'userApi',
      ['listRefreshTokensForUserAndClient', 'getRefreshTokenForUserAndClient'],
      ['revokeTokenForUserAndClient', 'revokeTokensForUserAndClient'],
    ],
    [
      'an app',
      'applicationApi',
      ['listOAuth2TokensForApplication', 'getOAuth2TokenForApplication'],
      ['revokeOAuth2TokenForApplication', 'revokeOAuth2TokensForApplication'],
    ],
    [
      'a server and client',
      'authorizationServerApi',
      ['listRefreshTokensForAuthorizationServerAndClient', 'getRefreshTokenForAuthorizationServerAndClient'],
      ['revokeRefreshTokenForAuthorizationServerAndClient', 'revokeRefreshTokensForAuthorizationServerAndClient'],
    ],
  ] as const)('lists, reads and revokes refresh tokens of %s', async (_, api, [list, get], [revoke, revokeAll]) => {
    const { tokens, ...of } = await newWorld();
    const [tokenId = ''] = tokens;
    expect(idsOf(await sdk.collect(`${api}.${list}`, { ...of, limit: 1 }))).toEqual(tokens);
    expect(await sdk.models(`${api}.${get}`, { ...of, tokenId })).toMatchObject([{ item: 'OAuth2RefreshToken' }]);
    expect(await sdk.call(`${api}.${get}`, { ...of, tokenId, expand: 'scope' })).toMatchObject({
      id: tokenId,
      status: 'ACTIVE',
      scopes: ['openid'],
      _embedded: { scopes: [{ name: 'openid' }] },
    });
    const { authServerId, clientId } = of;
    const clients = await sdk.collect('authorizationServerApi.listOAuth2ClientsForAuthorizationServer', {
      authServerId,
    });
    expect(clients).toMatchObject([{ client_id: clientId }]);
    await sdk.call(`${api}.${revoke}`, { ...of, tokenId });
    expect(await sdk.refusal(`${api}.${get}`, { ...of, tokenId })).toMatchObject(GONE);
    await sdk.call(`${api}.${revokeAll}`, of);
    expect(await sdk.collect(`${api}.${list}`, of)).toEqual([]);
  });
});
