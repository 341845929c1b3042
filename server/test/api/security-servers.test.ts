import { beforeAll, describe, expect, test } from 'vitest';
import { answered, ask, newBrowser, requestOf } from '../support/authorization.ts';
import { beforeTests } from '../support/before-tests.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import { useService } from '../support/use-service.ts';
import { newCode, newUserApp, redeem, refresh, requestTokens } from '../support/user-tokens.ts';

/** This file tests attacks 75 and 81 (docs/security-rows.md): a server refuses what other servers of the org issue. */
const { service, org } = useService();
const app = beforeTests(() => newUserApp(org));
const browser = beforeTests(() => newBrowser(service, org, null, { userId: app.userId }));

interface Server {
  readonly id: string;
  readonly path: string;
  readonly issuer: string;
}
const servers = new Map<string, Server>();

beforeAll(async () => {
  servers.set('the org’s own', { id: '', path: '/oauth2/v1', issuer: org.baseUrl });
  for (const name of ['one', 'another']) {
    const { id, issuer, oauth } = await newCustomServer(org, { grantTypes: ['authorization_code'] });
    servers.set(name, { id, issuer, path: `${oauth}/v1` });
  }
});

const NAMES = ['the org’s own', 'one', 'another'];
const PAIRS = NAMES.flatMap((from) => NAMES.filter((at) => at !== from).map((at) => [from, at] as const));

function serverOf(name: string): Server {
  const server = servers.get(name);
  if (server === undefined) throw new Error(`no server ${name}`);
  return server;
}

const codeOf = ({ id }: Server) => newCode(service, org, app, { serverId: id });
const redeemAt = async ({ path }: Server, code: Awaited<ReturnType<typeof codeOf>>) =>
  redeem(org, app, code, {}, { path: `${path}/token` });
const userinfoAt = ({ path }: Server, token: string) =>
  org.client({ authorization: `Bearer ${token}` }).get(`${path}/userinfo`);
const isActiveAt = async ({ path }: Server, token: string): Promise<boolean> =>
  (await requestTokens(org, app, { token }, { path: `${path}/introspect` })).body.active;

describe.each(PAIRS)('of %s, at %s', (from, at) => {
  test('a code is refused, and stays good at its own', async () => {
    const code = await codeOf(serverOf(from));
    expect(await redeemAt(serverOf(at), code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await redeemAt(serverOf(from), code)).status).toBe(200);
  });

  test('tokens are none, and stay good at their own', async () => {
    const tokens = (await redeemAt(serverOf(from), await codeOf(serverOf(from)))).body;
    expect((await userinfoAt(serverOf(at), tokens.access_token)).status).toBe(401);
    const refreshed = await refresh(org, app, tokens.refresh_token, {}, { path: `${serverOf(at).path}/token` });
    expect(refreshed).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    for (const name of ['access_token', 'refresh_token', 'id_token']) {
      expect([name, await isActiveAt(serverOf(at), tokens[name])]).toEqual([name, false]);
      const { path } = serverOf(at);
      expect((await requestTokens(org, app, { token: tokens[name] }, { path: `${path}/revoke` })).status).toBe(200);
      expect([name, await isActiveAt(serverOf(from), tokens[name])]).toEqual([name, true]);
    }
    expect((await userinfoAt(serverOf(from), tokens.access_token)).status).toBe(200);
    const { path } = serverOf(from);
    expect((await refresh(org, app, tokens.refresh_token, {}, { path: `${path}/token` })).status).toBe(200);
  });

  test('an ID token is no hint', async () => {
    const { id_token: hint } = (await redeemAt(serverOf(from), await codeOf(serverOf(from)))).body;
    const answerAt = async ({ path }: Server) => {
      const changes = { id_token_hint: hint, prompt: 'none', scope: 'openid' };
      return answered(await ask(browser.client, app, changes, `${path}/authorize`)).parameters;
    };
    expect(await answerAt(serverOf(at))).toMatchObject({ error: 'invalid_request', iss: serverOf(at).issuer });
    expect(await answerAt(serverOf(from))).toMatchObject({ code: expect.any(String), iss: serverOf(from).issuer });
    const query = new URLSearchParams({ id_token_hint: hint }).toString();
    const signOut = await browser.client.get(`${serverOf(at).path}/logout?${query}`);
    expect(signOut.status).toBe(400);
    expect(answered(await ask(browser.client, app)).parameters).toHaveProperty('code');
  });

  test('a code that the browser was given names its issuer, and is no other’s', async () => {
    const response = await ask(browser.client, app, { scope: 'openid' }, `${serverOf(from).path}/authorize`);
    const { parameters } = answered(response);
    expect(parameters['iss']).toBe(serverOf(from).issuer);
    const { redirect_uri: redirectUri } = requestOf(app);
    const form = { grant_type: 'authorization_code', code: parameters['code'], redirect_uri: redirectUri };
    const redeemed = (server: Server) => requestTokens(org, app, form, { path: `${server.path}/token` });
    expect(await redeemed(serverOf(at))).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await redeemed(serverOf(from))).status).toBe(200);
  });
});
