import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import { useService } from '../support/use-service.ts';
import {
  newCode,
  newProofKey,
  newUserApp,
  redeem,
  TOKEN,
  tokensOf,
  type UserApp,
  withProof,
} from '../support/user-tokens.ts';

const { service, org } = useService({ isShared: false });
const app = beforeTests(() => newUserApp(org, { scopes: ['svc.users.read', 'svc.users.manage'] }));

const SCOPES = ['openid', 'svc.users.read', 'svc.users.manage'];
const bearing = (token: string) => org.client({ authorization: `Bearer ${token}` });

const giveRole = async (userId: string, type: string) => {
  const { body } = await org.admin.post(`/api/v1/users/${userId}/roles`, { body: { type } });
  return body.id;
};

describe('a user’s access token on the API', () => {
  test('opens what scopes and the user’s roles open together', async () => {
    const own = await newUserApp(org, { scopes: ['svc.users.read', 'svc.users.manage'] });
    const all = bearing((await tokensOf(service, org, own, { scopes: SCOPES })).access_token);
    const reading = bearing((await tokensOf(service, org, own, { scopes: ['svc.users.read'] })).access_token);
    const create = { body: { profile: { firstName: 'A', lastName: 'B', login: 'a@b.example', email: 'a@b.example' } } };
    // Without a role, the token reaches only the user's own data, whatever its scopes.
    expect(await all.get('/api/v1/users/me')).toMatchObject({ status: 200, body: { id: own.userId } });
    expect((await all.get(`/api/v1/users/${org.adminUserId}`)).status).toBe(403);
    expect((await all.post('/api/v1/users', create)).status).toBe(403);
    await giveRole(own.userId, 'USER_ADMIN');
    service.clock.advance(1_100);
    expect((await reading.post('/api/v1/users', create)).status).toBe(403);
    expect((await all.post('/api/v1/users', create)).status).toBe(200);
    // The token of `reading` may read users, and the token of `all` has no scope for groups.
    expect((await reading.get('/api/v1/users')).status).toBe(200);
    expect((await all.get('/api/v1/groups')).status).toBe(403);
  });

  test('is the user in the log, with the app', async () => {
    const own = await newUserApp(org, { scopes: ['svc.users.manage'] });
    await giveRole(own.userId, 'SUPER_ADMIN');
    const { access_token: token } = await tokensOf(service, org, own, { scopes: ['svc.users.manage'] });
    const login = 'c@d.example';
    await bearing(token).post('/api/v1/users', {
      body: { profile: { firstName: 'C', lastName: 'D', login, email: login } },
    });
    const [event] = await org.systemLog(`eventType eq "user.lifecycle.create" and actor.id eq "${own.userId}"`);
    expect(event).toMatchObject({
      actor: { id: own.userId, type: 'User', alternateId: own.login },
      client: { id: own.id },
      authenticationContext: { credentialType: 'OAuth 2.0', issuer: { id: org.baseUrl } },
    });
  });

  test('that names no scope of the API opens nothing but what asks for none', async () => {
    const token = (await tokensOf(service, org, app, { scopes: ['openid', 'profile'] })).access_token;
    expect((await bearing(token).get('/api/v1/users/me')).status).toBe(403);
  });
});

describe('row 75: what is no access token of this org’s own server', () => {
  test('is 401', async () => {
    const elsewhere = await service.newOrg();
    const theirs = await newUserApp(elsewhere, { scopes: ['svc.users.read'] });
    const server = await newCustomServer(org, { grantTypes: ['authorization_code'] });
    const code = await newCode(service, org, app, { serverId: server.id, scopes: ['openid', 'orders.read'] });
    const custom = await redeem(org, app, code, {}, { path: `${server.oauth}/v1/token` });
    const own = await tokensOf(service, org, app, { scopes: ['openid', 'offline_access', 'svc.users.read'] });
    const foreign = await tokensOf(service, elsewhere, theirs, { scopes: ['svc.users.read'] });
    const wrong = {
      foreign: foreign.access_token,
      custom: custom.body.access_token,
      customId: custom.body.id_token,
      id: own.id_token,
      refresh: own.refresh_token,
      truncated: own.access_token.slice(0, -1),
      opaque: own.refresh_token.slice(0, 20),
    };
    expect((await bearing(own.access_token).get('/api/v1/users/me')).status).toBe(200);
    for (const [name, token] of Object.entries(wrong)) {
      const { headers, status } = await bearing(token).get('/api/v1/users/me');
      expect({ name, status }).toEqual({ name, status: 401 });
      expect(headers['www-authenticate']).toContain('invalid_token');
    }
  });
});

describe('row 82: a user’s access token ends', () => {
  const SCOPE = ['svc.users.read'];

  test.each<[string, (own: UserApp) => Promise<unknown>]>([
    ['the user is suspended', (own) => org.admin.post(`/api/v1/users/${own.userId}/lifecycle/suspend`)],
    ['the user is deactivated', (own) => org.admin.post(`/api/v1/users/${own.userId}/lifecycle/deactivate`)],
    ['the user’s tokens are cleared', (own) => org.admin.del(`/api/v1/users/${own.userId}/sessions?oauthTokens=true`)],
    ['the app is deactivated', (own) => org.admin.post(`/api/v1/apps/${own.id}/lifecycle/deactivate`)],
    [
      'the app loses the scope',
      async (own) => {
        const { body } = await org.admin.get(`/api/v1/apps/${own.id}/grants`);
        return org.admin.del(`/api/v1/apps/${own.id}/grants/${body[0].id}`);
      },
    ],
  ])('when %s', async (_, change) => {
    const own = await newUserApp(org, { scopes: ['svc.users.read'] });
    const { access_token: token } = await tokensOf(service, org, own, { scopes: SCOPE });
    expect((await bearing(token).get('/api/v1/users/me')).status).toBe(200);
    await change(own);
    service.clock.advance(1_100);
    expect((await bearing(token).get('/api/v1/users/me')).status).toBe(401);
  });

  test('with its time, and stays while the user is merely locked out', async () => {
    const own = await newUserApp(org, { scopes: ['svc.users.read'] });
    const { access_token: token } = await tokensOf(service, org, own, { scopes: SCOPE });
    await service.database.pool.query("update users set status = 'LOCKED_OUT' where org_id = $1 and id = $2", [
      org.id,
      own.userId,
    ]);
    service.clock.advance(1_100);
    expect((await bearing(token).get('/api/v1/users/me')).status).toBe(200);
    service.clock.advance(3_600_000);
    expect((await bearing(token).get('/api/v1/users/me')).status).toBe(401);
  });
});

test('row 74: a token that is bound to a key opens nothing without a proof of it', async () => {
  const bound = await newUserApp(org, {
    scopes: ['svc.users.read'],
    settings: { dpop_bound_access_tokens: true },
  });
  const key = await newProofKey(service);
  const code = await newCode(service, org, bound, { scopes: ['svc.users.read'] });
  const { body } = await withProof(org, key, TOKEN, (headers) => redeem(org, bound, code, {}, { headers }));
  const token = body.access_token;
  const ath = createHash('sha256').update(token).digest('base64url');
  const htu = `${org.baseUrl}/api/v1/users/me`;
  const ask = async (claims: Readonly<Record<string, unknown>>, by = key) =>
    (await org.client({ authorization: `DPoP ${token}`, dpop: await by.proof(claims) }).get('/api/v1/users/me')).status;
  expect((await bearing(token).get('/api/v1/users/me')).status).toBe(401);
  expect(await ask({ htm: 'GET', htu })).toBe(401);
  expect(await ask({ htm: 'POST', htu, ath })).toBe(401);
  expect(await ask({ htm: 'GET', htu: `${org.baseUrl}/api/v1/users`, ath })).toBe(401);
  expect(await ask({ htm: 'GET', htu, ath }, await newProofKey(service))).toBe(401);
  const jti = 'once';
  expect(await ask({ htm: 'GET', htu, ath, jti })).toBe(200);
  expect(await ask({ htm: 'GET', htu, ath, jti })).toBe(401);
});
