import { describe, expect, test } from 'vitest';
import type { OidcApp } from '../support/authorization.ts';
import { good } from '../support/custom-servers.ts';
import { exchangeToken, newExchanger, tokenAt, tokensAt, useExchange } from '../support/token-exchange.ts';
import { useService } from '../support/use-service.ts';
import {
  newCode,
  newUserApp,
  payloadOf,
  redeem,
  refresh,
  requestTokens,
  type UserApp,
} from '../support/user-tokens.ts';

// This file tests refresh tokens that an app gets in exchange for a user's token that was issued to another app.

const { service, org } = useService();
const { server, front, api } = useExchange(org);

const SCOPES = ['openid', 'offline_access', 'orders.read'];
const at = () => ({ path: tokenAt(server) });
const tokens = (app = front) => tokensAt(service, org, app, server, SCOPES);
const stay = (token: string, app = api) => exchangeToken(org, app, token, { scope: SCOPES.join(' ') }, at());
const refreshed = async (token: string, app = api): Promise<number> =>
  (await refresh(org, app, token, {}, at())).status;
const revoke = (token: string) => requestTokens(org, front, { token }, { path: `${server.oauth}/v1/revoke` });

describe('an exchange begins a refresh token', () => {
  test('security 25: not with what else is given, where nobody asked for it', async () => {
    const { access_token: token } = await tokens();
    const { body, status } = await exchangeToken(org, api, token, {}, at());
    expect({ status, scope: body.scope }).toEqual({ status: 200, scope: 'openid orders.read' });
    expect(body).not.toHaveProperty('refresh_token');
    expect(payloadOf(body.access_token).scp).toEqual(['openid', 'orders.read']);
  });

  test('where its scope is named, for an app that is trusted', async () => {
    const { body } = await stay((await tokens()).access_token);
    expect(body.scope).toBe(SCOPES.join(' '));
    expect(await refreshed(body.refresh_token)).toBe(200);
  });

  test('security 25: not for an app to which the person never said so', async () => {
    const asking = await newExchanger(org, [front.userId], { settings: { consent_method: 'REQUIRED' } });
    expect(await stay((await tokens()).access_token, asking)).toMatchObject({
      status: 400,
      body: { error: 'consent_required', error_description: expect.stringContaining('[offline_access]') },
    });
  });

  test('not for a token of which no family goes on', async () => {
    const { access_token: token, refresh_token: family } = await tokens(await newFront());
    await revokeAs(family);
    const { body, status } = await stay(token, ownApi);
    expect(status).toBe(200);
    expect(body).not.toHaveProperty('refresh_token');
  });
});

let ownFront: UserApp;
let ownApi: OidcApp;
const revokeAs = (token: string) => requestTokens(org, ownFront, { token }, { path: `${server.oauth}/v1/revoke` });

async function newFront(): Promise<UserApp> {
  ownFront = await newUserApp(org);
  ownApi = await newExchanger(org, [ownFront.userId]);
  return ownFront;
}

describe('security 25: what was begun so ends', () => {
  async function begun() {
    const of = await newFront();
    const { access_token: token, refresh_token: family } = await tokens(of);
    const { body } = await stay(token, ownApi);
    return { of, token, family, child: body.refresh_token as string };
  }

  test('with the refresh token that it came from', async () => {
    const { child, family } = await begun();
    expect((await revokeAs(family)).status).toBe(200);
    expect(await refreshed(child, ownApi)).toBe(400);
  });

  test('with the access token that was exchanged, and the log tells it', async () => {
    const { child, family, token } = await begun();
    expect((await revokeAs(token)).status).toBe(200);
    expect(await refreshed(child, ownApi)).toBe(400);
    expect(await refreshed(family, ownFront)).toBe(200);
    const events = await org.systemLog('eventType eq "app.oauth2.as.token.revoke"');
    const told = events.flatMap(({ target }) => target.map(({ type }: { type: string }) => type));
    expect(told).toEqual(expect.arrayContaining(['access_token', 'refresh_token']));
  });

  test('with a replay of the code that gave the access token, and the log tells it', async () => {
    const of = await newFront();
    const code = await newCode(service, org, of, { serverId: server.id, scopes: SCOPES });
    const { body } = await redeem(org, of, code, {}, at());
    // Later exchanges belong to this newer family, which the replay does not end.
    const newer = await tokens(of);
    const child = (await stay(body.access_token, ownApi)).body.refresh_token as string;
    const other = (await stay(newer.access_token, ownApi)).body.refresh_token as string;
    expect((await redeem(org, of, code, {}, at())).status).toBe(400);
    expect(await refreshed(child, ownApi)).toBe(400);
    expect(await refreshed(other, ownApi)).toBe(200);
    const events = await org.systemLog('eventType eq "app.oauth2.as.token.revoke"');
    const replays = events.filter(
      ({ debugContext }) => debugContext.debugData.reason === 'AUTHORIZATION_CODE_REPLAYED',
    );
    const ended = replays.flatMap(({ target }) =>
      target.filter(({ type }: { type: string }) => type === 'refresh_token'),
    );
    expect(ended).toHaveLength(2);
  });

  test('with all tokens of the other app', async () => {
    const { child, of } = await begun();
    await good(org.admin.del(`/api/v1/users/${of.userId}/clients/${of.id}/tokens`));
    expect(await refreshed(child, ownApi)).toBe(400);
  });

  test('and so does what came from it in turn, and nothing of another person', async () => {
    const { child, family, of } = await begun();
    const next = await newExchanger(org, [of.userId]);
    const { body: turned } = await refresh(org, ownApi, child, {}, at());
    const { body } = await stay(turned.access_token, next);
    const { refresh_token: others } = (await stay((await tokens()).access_token)).body;
    await revokeAs(family);
    expect(await refreshed(body.refresh_token, next)).toBe(400);
    expect(await refreshed(others)).toBe(200);
    expect((await revoke('nothing')).status).toBe(200);
  });
});
