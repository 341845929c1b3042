import { describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { newProfile } from '../support/service.ts';
import { type NewServiceApp, newTestKey } from '../support/service-apps.ts';
import type { NodeSdk, SdkClient } from './node-sdk.ts';
import { FORBIDDEN, pem, startNodeSdkApps, UNAUTHORIZED } from './node-sdk-apps.ts';

// This file tests the published SDK with an RSA key. EC keys fail, because the SDK signs a DPoP proof with RS256 for
// each token.

const apps = beforeTests(() => startNodeSdkApps());

const createUser = (sdk: NodeSdk) =>
  sdk.call('userApi.createUser', { body: { profile: newProfile() }, activate: false });
const refusedUser = (sdk: NodeSdk) =>
  sdk.refusal('userApi.createUser', { body: { profile: newProfile() }, activate: false });

const tokenRequests = (sdk: NodeSdk) => sdk.requests().filter(({ url }) => url.endsWith('/oauth2/v1/token'));
const authorizations = (sdk: NodeSdk) =>
  sdk.requests().flatMap(({ url, headers }) => (url.includes('/api/v1/') ? [String(headers['Authorization'])] : []));
const schemesOf = (sdk: NodeSdk) => new Set(authorizations(sdk).map((value) => value.split(' ')[0]));

function claimsOfProof(proof: unknown): Record<string, unknown> {
  const [, payload = ''] = String(proof).split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Record<string, unknown>;
}

describe('what a service app may do', () => {
  test('goes by its scopes and its role', async () => {
    const key = newTestKey();
    const sdk = await apps.connect({ key, scopes: ['okta.users.manage'], roles: ['USER_ADMIN'] }, { keyId: key.kid });
    const { id } = await createUser(sdk);
    expect(await sdk.call('userApi.getUser', { userId: id })).toMatchObject({ id, status: 'STAGED' });
    const found = await sdk.collect('userApi.listUsers', { search: `id eq "${id}"` });
    expect(found.map((user) => user.id)).toEqual([id]);
    const [event] = await apps.service.org.systemLog(`eventType eq "user.lifecycle.create" and target.id eq "${id}"`);
    expect(event.actor).toMatchObject({ type: 'PublicClientApp' });
  });

  test('is nothing without a role', async () => {
    const sdk = await apps.connect({ scopes: ['okta.users.manage'] });
    const { id } = await apps.service.org.createUser();
    expect(await refusedUser(sdk)).toMatchObject(FORBIDDEN);
    expect(await sdk.refusal('userApi.getUser', { userId: id })).toMatchObject(FORBIDDEN);
  });

  test('is no more than its scopes, whatever its role', async () => {
    const sdk = await apps.connect({ scopes: ['okta.users.read'], roles: ['SUPER_ADMIN'] });
    const { id } = await apps.service.org.createUser();
    expect(await sdk.call('userApi.getUser', { userId: id })).toMatchObject({ id });
    expect(await refusedUser(sdk)).toMatchObject(FORBIDDEN);
    expect(await sdk.refusal('applicationApi.getApplication', { appId: 'any' })).toMatchObject(FORBIDDEN);
  });

  test('is no more than its role, whatever its scopes', async () => {
    const sdk = await apps.connect({ scopes: ['okta.users.manage'], roles: ['READ_ONLY_ADMIN'] });
    const { id } = await apps.service.org.createUser();
    expect(await sdk.call('userApi.getUser', { userId: id })).toMatchObject({ id });
    expect(await refusedUser(sdk)).toMatchObject(FORBIDDEN);
  });
});

describe('how a service app proves itself', () => {
  const reader = { scopes: ['okta.users.read'], roles: ['READ_ONLY_ADMIN'] } as const;

  test('without a kid, also where several keys are registered', async () => {
    const sdk = await apps.connect({ ...reader, otherKeys: [newTestKey(), newTestKey('ES256')] });
    expect((await sdk.collect('userApi.listUsers')).length).toBeGreaterThan(0);
  });

  test('by a JWK, which names its kid', async () => {
    const key = newTestKey();
    const jwk = { ...key.privateKey.export({ format: 'jwk' }), kid: key.kid };
    const sdk = await apps.connect({ ...reader, key, otherKeys: [newTestKey()] }, { privateKey: JSON.stringify(jwk) });
    expect((await sdk.collect('userApi.listUsers')).length).toBeGreaterThan(0);
  });

  test('gets a Bearer token in spite of the proof it sends', async () => {
    const sdk = await apps.connect(reader);
    await sdk.collect('userApi.listUsers');
    expect(tokenRequests(sdk).map(({ headers }) => claimsOfProof(headers['DPoP']))).toEqual([
      expect.objectContaining({ htm: 'POST', htu: `${apps.org.baseUrl}/oauth2/v1/token` }),
    ]);
    expect(schemesOf(sdk)).toEqual(new Set(['Bearer']));
  });

  test('goes by DPoP, with a nonce, where the tokens of the app are bound to a key', async () => {
    const sdk = await apps.connect({ ...reader, settings: { dpop_bound_access_tokens: true } });
    expect((await sdk.collect('userApi.listUsers', { limit: 1 })).length).toBeGreaterThan(0);
    const { id } = await apps.service.org.createUser();
    expect(await sdk.call('userApi.getUser', { userId: id })).toMatchObject({ id });
    const nonces = tokenRequests(sdk).map(({ headers }) => claimsOfProof(headers['DPoP'])['nonce']);
    expect(nonces).toEqual([undefined, expect.stringMatching(/./)]);
    expect(schemesOf(sdk)).toEqual(new Set(['DPoP']));
  });

  // The SDK ignores the error from the token endpoint. It then sends an undefined token to the API, twice.
  test.each<[string, NewServiceApp, Partial<SdkClient>]>([
    ['a scope that was not granted', { roles: ['SUPER_ADMIN'] }, { scopes: 'okta.users.read okta.apps.manage' }],
    ['a key that is not registered', { roles: ['SUPER_ADMIN'] }, { privateKey: pem(newTestKey()) }],
    ['a client that is not there', { roles: ['SUPER_ADMIN'] }, { clientId: '0oaunknown' }],
  ])('is told 401 by the API for %s', async (_case, options, configured) => {
    const sdk = await apps.connect({ scopes: ['okta.users.read'], ...options }, configured);
    expect(await sdk.refusal('userApi.getUser', { userId: 'any' })).toMatchObject(UNAUTHORIZED);
    expect(authorizations(sdk)).toEqual(['Bearer undefined', 'Bearer undefined']);
    expect(tokenRequests(sdk)).toHaveLength(2);
  });
});
