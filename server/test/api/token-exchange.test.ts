import { createHash } from 'node:crypto';
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
import {
  newCode,
  newProofKey,
  newUserApp,
  payloadOf,
  redeem,
  refresh,
  requestTokens,
  TOKEN,
  tokensOf,
  withProof,
} from '../support/user-tokens.ts';

const { service, org } = useService({ isShared: false });
const { server, front, api } = useExchange(org);

const at = (where: CustomServer = server) => ({ path: tokenAt(where) });
const tokenOf = async (scopes?: readonly string[], where = server): Promise<string> =>
  (await tokensAt(service, org, front, where, scopes)).access_token;
const grantEventsOf = (app: OidcApp) =>
  org.systemLog(`eventType eq "app.oauth2.as.token.grant.access_token" and target.id eq "${app.id}"`);

describe('at a custom server', () => {
  test('an app gets a token of its own about the same person', async () => {
    const token = await tokenOf(['openid', 'orders.read', 'orders.write']);
    const subject = payloadOf(token);
    const { body, headers, status } = await exchangeToken(org, api, token, { scope: 'orders.read' }, at());
    expect({ status, cache: headers['cache-control'] }).toEqual({ status: 200, cache: 'no-store' });
    expect(body).toEqual({
      issued_token_type: ACCESS_TOKEN,
      token_type: 'Bearer',
      expires_in: expect.any(Number),
      access_token: expect.any(String),
      scope: 'orders.read',
    });
    const { auth_time, aud, iss, sub, uid } = subject;
    const claims = payloadOf(body.access_token);
    expect(claims).toMatchObject({ auth_time, aud, iss, sub, uid, cid: api.id, scp: ['orders.read'] });
    expect(claims.act).toEqual({ iss: server.issuer, sub: api.id });
    const { body: told } = await requestTokens(
      org,
      api,
      { token: body.access_token },
      { path: `${server.oauth}/v1/introspect` },
    );
    expect(told).toMatchObject({ active: true, client_id: api.id, uid: front.userId });
    const [event] = await grantEventsOf(api);
    expect(event).toMatchObject({
      actor: { id: api.id, type: 'PublicClientApp' },
      outcome: { result: 'SUCCESS' },
      debugContext: {
        debugData: {
          grantType: 'urn:ietf:params:oauth:grant-type:token-exchange',
          subjectTokenClientId: front.id,
          subjectTokenHash: createHash('sha256').update(subject.jti).digest('base64url'),
          grantedScopes: 'orders.read',
        },
      },
    });
    expect(event.target.map(({ type }: { type: string }) => type)).toContain('User');
  });

  test('without a scope it gets those of the token', async () => {
    const { body } = await exchangeToken(org, api, await tokenOf(), { audience: 'api://orders' }, at());
    expect(body.scope).toBe('openid orders.read');
    expect(payloadOf(body.id_token)).toMatchObject({ sub: front.userId, aud: api.id });
    expect(payloadOf(body.id_token)).not.toHaveProperty('amr');
  });

  test('a token may be exchanged again and again, at once too', async () => {
    const token = await tokenOf();
    const answers = await Promise.all([1, 2, 3].map(() => exchangeToken(org, api, token, {}, at())));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ body }) => payloadOf(body.access_token).jti)).size).toBe(3);
  });

  test('what is given ends with what was brought, however often', async () => {
    const token = await tokenOf();
    const { exp } = payloadOf(token);
    service.clock.advance(10 * 60_000);
    const { body } = await exchangeToken(org, api, token, {}, at());
    expect(payloadOf(body.access_token).exp).toBe(exp);
    expect(body.expires_in).toBeLessThanOrEqual(20 * 60);
    expect(payloadOf(body.id_token).exp).toBe(exp);
    service.clock.advance(5 * 60_000);
    const { body: again } = await exchangeToken(org, api, body.access_token, {}, at());
    expect(payloadOf(again.access_token).exp).toBe(exp);
  });

  test('goes on by a refresh token where that is asked for by name', async () => {
    const scopes = ['openid', 'offline_access', 'orders.read'];
    const { body } = await exchangeToken(org, api, await tokenOf(scopes), { scope: scopes.join(' ') }, at());
    const { body: next, status } = await refresh(org, api, body.refresh_token, {}, at());
    expect({ status, scope: next.scope }).toEqual({ status: 200, scope: scopes.join(' ') });
  });
});

describe('a server that trusts another one', () => {
  test('takes its tokens, for scopes of its own', async () => {
    const stock = await newExchangeServer(org, { audience: 'api://stock', scopes: { 'stock.read': {} } });
    const token = await tokenOf(['openid', 'orders.read']);
    const ask = (scope: string) => exchangeToken(org, api, token, { scope }, at(stock));
    const refused = { status: 403, body: { error: 'access_denied' } };
    expect(await ask('stock.read')).toMatchObject(refused);
    await good(org.admin.post(`${stock.path}/associatedServers`, { body: { trusted: [server.id] } }));
    const { body } = await ask('stock.read openid');
    expect(payloadOf(body.access_token)).toMatchObject({ aud: 'api://stock', iss: stock.issuer, uid: front.userId });
    expect(await exchangeToken(org, api, body.access_token, {}, at())).toMatchObject(refused);
    for (const scope of ['stock.read email', 'stock.read offline_access']) {
      expect(await ask(scope)).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
    }
    await good(org.admin.del(`${stock.path}/associatedServers/${server.id}`));
    expect(await ask('stock.read')).toMatchObject(refused);
  });

  test('takes none of a server that is not active', async () => {
    const other = await newExchangeServer(org);
    const token = await tokenOf(undefined, other);
    await good(org.admin.post(`${server.path}/associatedServers`, { body: { trusted: [other.id] } }));
    expect((await exchangeToken(org, api, token, { scope: 'orders.read' }, at())).status).toBe(200);
    await good(org.admin.post(`${other.path}/lifecycle/deactivate`));
    expect(await exchangeToken(org, api, token, { scope: 'orders.read' }, at())).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', error_description: "'subject_token' is invalid." },
    });
  });
});

describe("at the org's own server", () => {
  test('an app gets the scopes of the API that it has itself, of those in the token', async () => {
    const scopes = ['svc.users.read', 'svc.users.manage'];
    const own = await newUserApp(org, { scopes });
    const backend = await newExchanger(org, [own.userId], { scopes: ['svc.users.read'] });
    const { access_token: token } = await tokensOf(service, org, own, { scopes });
    const audience = org.baseUrl;
    const { body } = await exchangeToken(org, backend, token, { audience, scope: 'svc.users.read' });
    const { status } = await org.client({ authorization: `Bearer ${body.access_token}` }).get('/api/v1/users/me');
    expect(status).toBe(200);
    expect(await exchangeToken(org, backend, token)).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
  });

  test('takes no token of a custom server, nor the other way round', async () => {
    const denied = { status: 403, body: { error: 'access_denied' } };
    expect(await exchangeToken(org, api, await tokenOf(), { scope: 'openid' })).toMatchObject(denied);
    const { access_token: token } = await tokensOf(service, org, front, { scopes: ['openid'] });
    expect(await exchangeToken(org, api, token, { scope: 'openid' }, at())).toMatchObject(denied);
  });
});

describe('an ID token', () => {
  test('is good for the app that it was made for', async () => {
    const own = await newUserApp(org, {
      settings: { grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:token-exchange'] },
    });
    const { id_token: token } = await tokensAt(service, org, own, server, ['openid'], { details: { acr: 'urn:x' } });
    const by = { subject_token_type: ID_TOKEN };
    const { body } = await exchangeToken(org, own, token, { ...by, scope: 'openid orders.read' }, at());
    expect(payloadOf(body.access_token)).toMatchObject({ uid: own.userId, scp: ['openid', 'orders.read'] });
    expect(payloadOf(body.id_token)).toMatchObject({ amr: ['pwd'], acr: 'urn:x', exp: payloadOf(token).exp });
    const refused = { status: 400, body: { error: 'invalid_request' } };
    expect(await exchangeToken(org, own, token, {}, at())).toMatchObject(refused);
    expect(await exchangeToken(org, own, body.access_token, by, at())).toMatchObject(refused);
    expect(await exchangeToken(org, api, token, by, at())).toMatchObject(refused);
    expect(await exchangeToken(org, own, token, { ...by, scope: 'openid offline_access' }, at())).toMatchObject({
      body: { error: 'invalid_scope' },
    });
  });
});

describe('a token that is bound to a key', () => {
  test('is exchanged by whoever proves that key, for one of the same key', async () => {
    const [key, other] = [await newProofKey(service), await newProofKey(service)];
    const own = await newUserApp(org, { settings: { dpop_bound_access_tokens: true } });
    const backend = await newExchanger(org, [own.userId]);
    const code = await newCode(service, org, own, { scopes: ['openid'] });
    const { body: tokens } = await withProof(org, key, TOKEN, (headers) => redeem(org, own, code, {}, { headers }));
    const ask = (headers: Readonly<Record<string, string>>) =>
      exchangeToken(org, backend, tokens.access_token, { scope: 'openid' }, { headers });
    expect(await ask({})).toMatchObject({ status: 400, body: { error: 'invalid_dpop_proof' } });
    expect(await withProof(org, other, TOKEN, ask)).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    const { body } = await withProof(org, key, TOKEN, ask);
    expect(body).toMatchObject({ token_type: 'DPoP', issued_token_type: ACCESS_TOKEN });
    expect(payloadOf(body.access_token).cnf).toEqual({ jkt: key.jkt });
  });
});
