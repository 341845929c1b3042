import { describe, expect, test } from 'vitest';
import type { OidcApp } from '../support/authorization.ts';
import { type CustomServer, good } from '../support/custom-servers.ts';
import {
  ACCESS_TOKEN,
  exchangeToken,
  ID_TOKEN,
  newExchanger,
  newExchangeServer,
  tokenAt,
  tokensAt,
  useExchange,
} from '../support/token-exchange.ts';
import { useService } from '../support/use-service.ts';
import { newUserApp, payloadOf, refresh, requestTokens } from '../support/user-tokens.ts';

const { service, org } = useService({ isShared: false });
const { server, front, api } = useExchange(org);

const at = (where: CustomServer = server) => ({ path: tokenAt(where) });
const tokenOf = async (scopes?: readonly string[]): Promise<string> =>
  (await tokensAt(service, org, front, server, scopes)).access_token;

async function actingAs(app: OidcApp, where: CustomServer = server): Promise<string> {
  const form = { grant_type: 'client_credentials', scope: 'orders.read' };
  return (await good(requestTokens(org, app, form, at(where)))).access_token;
}

const acting = (actorToken: string) => ({ actor_token: actorToken, actor_token_type: ACCESS_TOKEN });
const REFUSED = { status: 400, body: { error: 'invalid_request' } };

describe('who acts', () => {
  test('is named in the token, at introspection and in the log', async () => {
    const { body } = await exchangeToken(org, api, await tokenOf(), acting(await actingAs(api)), at());
    const act = { iss: server.issuer, sub: api.id };
    expect(payloadOf(body.access_token)).toMatchObject({ uid: front.userId, cid: api.id, act });
    expect(payloadOf(body.id_token)).toMatchObject({ sub: front.userId, act });
    const form = { token: body.access_token };
    const { body: told } = await requestTokens(org, api, form, { path: `${server.oauth}/v1/introspect` });
    expect(told).toMatchObject({ active: true, act });
    const ofGrant = 'eventType eq "app.oauth2.as.token.grant.access_token"';
    const [event] = await org.systemLog(`${ofGrant} and target.id eq "${front.userId}" and actor.id eq "${api.id}"`);
    expect(event.debugContext.debugData.actor).toBe(api.id);
  });

  test('acts for whoever acted before, and is the app itself where nobody is named', async () => {
    const second = await newExchanger(org, [front.userId]);
    const { body: first } = await exchangeToken(org, api, await tokenOf(), acting(await actingAs(api)), at());
    const { body } = await exchangeToken(org, second, first.access_token, acting(await actingAs(second)), at());
    const before = { iss: server.issuer, sub: api.id };
    expect(payloadOf(body.access_token).act).toEqual({ iss: server.issuer, sub: second.id, act: before });
    const { body: silent } = await exchangeToken(org, second, first.access_token, {}, at());
    const { body: again } = await exchangeToken(org, second, silent.access_token, {}, at());
    for (const { access_token: token } of [silent, again]) {
      expect(payloadOf(token)).toMatchObject({
        cid: second.id,
        act: { iss: server.issuer, sub: second.id, act: before },
      });
    }
  });

  test('is named in what is refreshed', async () => {
    const scopes = ['openid', 'offline_access', 'orders.read'];
    const form = { ...acting(await actingAs(api)), scope: scopes.join(' ') };
    const { body } = await exchangeToken(org, api, await tokenOf(scopes), form, at());
    const { body: next } = await refresh(org, api, body.refresh_token, {}, at());
    expect(payloadOf(next.access_token).act).toEqual({ iss: server.issuer, sub: api.id });
  });

  test('may be a person, by a token of the app', async () => {
    const clerk = await newUserApp(org, {
      settings: { grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:token-exchange'] },
    });
    await good(org.admin.post(`/api/v1/apps/${clerk.id}/users`, { body: { id: front.userId } }));
    const { access_token: own } = await tokensAt(service, org, clerk, server, ['openid']);
    const { body } = await exchangeToken(org, clerk, await tokenOf(), acting(own), at());
    expect(payloadOf(body.access_token)).toMatchObject({
      uid: front.userId,
      act: { iss: server.issuer, sub: clerk.login },
    });
  });
});

test('row 78: a chain of more than five is refused', async () => {
  let token = await tokenOf();
  const own = await actingAs(api);
  for (let depth = 1; depth <= 5; depth += 1) {
    token = (await good(exchangeToken(org, api, token, acting(own), at()))).access_token;
  }
  expect(JSON.stringify(payloadOf(token)).match(/"act"/g)).toHaveLength(5);
  expect(await exchangeToken(org, api, token, acting(own), at())).toMatchObject({
    status: 400,
    body: { error: 'invalid_request', error_description: expect.stringContaining('too many nested actors') },
  });
  expect((await exchangeToken(org, api, token, {}, at())).status).toBe(200);
});

describe('an actor is refused', () => {
  test('by a token of another app', async () => {
    const other = await newExchanger(org, [front.userId]);
    expect(await exchangeToken(org, api, await tokenOf(), acting(await actingAs(other)), at())).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant', error_description: expect.stringContaining('issued to the client') },
    });
  });

  test('by a token that is none, is revoked, or is over', async () => {
    const own = await actingAs(api);
    for (const wrong of ['none', `${own.slice(0, -4)}AAAA`]) {
      expect(await exchangeToken(org, api, await tokenOf(), acting(wrong), at())).toMatchObject(REFUSED);
    }
    const path = `${server.oauth}/v1/revoke`;
    expect((await requestTokens(org, api, { token: own }, { path })).status).toBe(200);
    expect(await exchangeToken(org, api, await tokenOf(), acting(own), at())).toMatchObject(REFUSED);
    const late = await actingAs(api);
    service.clock.advance(31 * 60_000);
    expect(await exchangeToken(org, api, await tokenOf(), acting(late), at())).toMatchObject(REFUSED);
  });

  test('by a token by which somebody acts already', async () => {
    const { body } = await exchangeToken(org, api, await tokenOf(), acting(await actingAs(api)), at());
    expect(await exchangeToken(org, api, await tokenOf(), acting(body.access_token), at())).toMatchObject(REFUSED);
  });

  test('by a token of a server that is not trusted', async () => {
    const other = await newExchangeServer(org);
    expect(await exchangeToken(org, api, await tokenOf(), acting(await actingAs(api, other)), at())).toMatchObject({
      status: 403,
      body: { error: 'access_denied' },
    });
  });

  test.each([
    ['without a type', { actor_token: 'x' }],
    ['of another type', { actor_token: 'x', actor_token_type: ID_TOKEN }],
    ['by a type alone', { actor_token_type: ACCESS_TOKEN }],
  ])('%s', async (_, changes) => {
    expect(await exchangeToken(org, api, await tokenOf(), changes, at())).toMatchObject(REFUSED);
  });
});
