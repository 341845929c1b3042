import { describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import { useService } from '../support/use-service.ts';
import {
  newCode,
  newUserApp,
  payloadOf,
  redeem,
  refresh,
  requestTokens,
  tokensOf,
  type UserApp,
} from '../support/user-tokens.ts';

const { service, org } = useService({ isShared: false });
const app = beforeTests(() => newUserApp(org, { scopes: ['svc.users.read'] }));
const server = beforeTests(() => newCustomServer(org, { grantTypes: ['authorization_code'] }));

const INTROSPECT = '/oauth2/v1/introspect';
const REVOKE = '/oauth2/v1/revoke';
const INACTIVE = { status: 200, body: { active: false } };

const introspect = (token: string, as: UserApp = app, path = INTROSPECT) => requestTokens(org, as, { token }, { path });
const revoke = (token: string, as: UserApp = app, path = REVOKE) => requestTokens(org, as, { token }, { path });

async function customTokens(own: UserApp = app) {
  const code = await newCode(service, org, own, {
    serverId: server.id,
    scopes: ['openid', 'offline_access', 'orders.read'],
  });
  return (await redeem(org, own, code, {}, { path: `${server.oauth}/v1/token` })).body;
}

describe('introspection', () => {
  test('tells a client of the three tokens of a user', async () => {
    const scopes = ['openid', 'offline_access', 'svc.users.read'];
    const tokens = await tokensOf(service, org, app, { scopes });
    const access = payloadOf(tokens.access_token);
    expect((await introspect(tokens.access_token)).body).toEqual({
      active: true,
      scope: scopes.join(' '),
      username: app.login,
      exp: access.exp,
      iat: access.iat,
      sub: app.login,
      aud: org.baseUrl,
      iss: org.baseUrl,
      jti: access.jti,
      token_type: 'Bearer',
      client_id: app.id,
      uid: app.userId,
    });
    expect((await introspect(tokens.refresh_token)).body).toEqual({
      active: true,
      scope: scopes.join(' '),
      username: app.login,
      exp: expect.any(Number),
      sub: app.login,
      token_type: 'Bearer',
      client_id: app.id,
    });
    expect((await introspect(tokens.id_token)).body).toMatchObject({
      active: true,
      sub: app.userId,
      aud: app.id,
      jti: payloadOf(tokens.id_token).jti,
    });
  });

  test('row 76: tells no other client, and no other server', async () => {
    const tokens = await tokensOf(service, org, app);
    const other = await newUserApp(org);
    const custom = await customTokens();
    const at = `${server.oauth}/v1/introspect`;
    for (const name of ['access_token', 'refresh_token', 'id_token']) {
      expect(await introspect(tokens[name], other)).toMatchObject(INACTIVE);
      expect(await introspect(tokens[name], app, at)).toMatchObject(INACTIVE);
      expect(await introspect(custom[name])).toMatchObject(INACTIVE);
      expect(await introspect(custom[name], app, at)).toMatchObject({ status: 200, body: { active: true } });
    }
  });

  test('knows of a refresh token that was replaced, and of users and apps that are gone', async () => {
    const own = await newUserApp(org);
    const first = await tokensOf(service, org, own);
    const next = (await refresh(org, own, first.refresh_token)).body;
    expect(await introspect(first.refresh_token, own)).toMatchObject(INACTIVE);
    expect((await introspect(next.refresh_token, own)).body.active).toBe(true);
    await org.admin.post(`/api/v1/users/${own.userId}/lifecycle/suspend`);
    service.clock.advance(1_100);
    for (const token of [next.access_token, next.refresh_token, next.id_token]) {
      expect(await introspect(token, own)).toMatchObject(INACTIVE);
    }
  });
});

describe('revocation', () => {
  test('ends a refresh token, also by one that was replaced, and an access token; each with an event', async () => {
    const own = await newUserApp(org);
    const tokens = await tokensOf(service, org, own);
    const next = (await refresh(org, own, tokens.refresh_token)).body;
    expect((await revoke(next.access_token, own)).status).toBe(200);
    expect(await introspect(next.access_token, own)).toMatchObject(INACTIVE);
    expect((await introspect(next.refresh_token, own)).body.active).toBe(true);
    expect(await revoke(tokens.refresh_token, own)).toMatchObject({ status: 200, text: '' });
    expect(await introspect(next.refresh_token, own)).toMatchObject(INACTIVE);
    expect((await refresh(org, own, next.refresh_token)).status).toBe(400);
    expect((await revoke(next.refresh_token, own)).status).toBe(200);
    const events = await org.systemLog(`eventType eq "app.oauth2.token.revoke" and target.id eq "${own.id}"`);
    expect(events.map(({ target }) => target[1].type)).toEqual(['access_token', 'refresh_token']);
  });

  test('row 76: of another client, or at another server, changes nothing and says nothing', async () => {
    const other = await newUserApp(org);
    const tokens = await tokensOf(service, org, app);
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      expect(await revoke(token, other)).toMatchObject({ status: 200, text: '' });
      expect((await revoke(token, app, `${server.oauth}/v1/revoke`)).status).toBe(200);
      expect((await introspect(token)).body.active).toBe(true);
    }
  });

  test('at a custom server ends what it gave', async () => {
    const own = await newUserApp(org);
    const tokens = await customTokens(own);
    const at = `${server.oauth}/v1`;
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      expect((await introspect(token, own, `${at}/introspect`)).body.active).toBe(true);
      expect((await revoke(token, own, `${at}/revoke`)).status).toBe(200);
      expect(await introspect(token, own, `${at}/introspect`)).toMatchObject(INACTIVE);
    }
    expect((await refresh(org, own, tokens.refresh_token, {}, { path: `${at}/token` })).status).toBe(400);
  });
});
