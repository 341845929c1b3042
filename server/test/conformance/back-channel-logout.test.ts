import { decodeProtectedHeader } from 'jose';
import { beforeEach, expect } from 'vitest';
import {
  answered,
  ask,
  assign,
  CALLBACK,
  newBrowser,
  newOidcApp,
  newPkce,
  type OidcApp,
} from '../support/authorization.ts';
import { describeProfile, openWorld, REFRESHABLE, row } from '../support/conformance.ts';
import { logoutPath } from '../support/logout.ts';
import { logoutReceiver, noticesSettled, verifyLogoutToken } from '../support/logout-receiver.ts';
import { payloadOf, redeem, refresh } from '../support/user-tokens.ts';

/** This file tests OpenID Connect Back-Channel Logout 1.0. */
const receiver = logoutReceiver();
const URI = 'https://app.example/backchannel';
const world = openWorld({
  service: { outbound: receiver.outbound },
  app: { settings: { ...REFRESHABLE, backchannel_logout_uri: URI, backchannel_logout_session_required: true } },
});

beforeEach(() => {
  receiver.received.length = 0;
  receiver.answer = () => 200;
});

/** The result contains the first logout token that the receiver got. */
async function leave({ others = [], scope = 'openid' }: { scope?: string; others?: readonly OidcApp[] } = {}) {
  const { app, org, service } = world();
  const browser = await newBrowser(service, org, app);
  for (const other of others) await assign(org, other, browser.userId);
  const { parameters, verifier } = newPkce();
  const { code = '' } = answered(await ask(browser.client, app, { ...parameters, scope })).parameters;
  const { body } = await redeem(org, app, { code, verifier });
  await browser.client.get(logoutPath({ id_token_hint: body.id_token }));
  await noticesSettled(service);
  const token = receiver.received[0]?.token ?? '';
  return { browser, body, token, idToken: payloadOf(body.id_token), claims: payloadOf(token) };
}

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

const ROWS = [
  row('2.1', 'it is announced, with sessions', async () => {
    const { body } = await world().org.anonymous.get('/.well-known/openid-configuration');
    expect(body).toMatchObject({ backchannel_logout_supported: true, backchannel_logout_session_supported: true });
  }),
  row('2.2', 'the address and whether sid is needed are settings of an app', async () => {
    const { body } = await world().org.admin.get(`/api/v1/apps/${world().app.id}`);
    expect(body.settings.oauthClient).toMatchObject({
      backchannel_logout_uri: URI,
      backchannel_logout_session_required: true,
    });
  }),
  row('2.2', 'an address with a fragment is refused', async () => {
    const settings = { ...REFRESHABLE, backchannel_logout_uri: `${URI}#x` };
    await expect(newOidcApp(world().org, { settings })).rejects.toThrow('settings.oauthClient.backchannel_logout_uri');
  }),
  row('2.3, 2.5', 'one POST with logout_token goes to each app of the session', async () => {
    await leave();
    expect(receiver.received.map(({ url }) => url)).toEqual([URI]);
  }),
  row('2.5', 'apps to which the session did not sign in are not told', async () => {
    const settings = { ...REFRESHABLE, backchannel_logout_uri: 'https://other.example/backchannel' };
    const other = await newOidcApp(world().org, { settings });
    await leave({ others: [other] });
    expect(receiver.received.map(({ url }) => url)).toEqual([URI]);
  }),
  row('2.4', 'iss, aud, iat, exp and jti', async () => {
    const { claims } = await leave();
    const expected = { iss: world().org.baseUrl, aud: world().app.id, jti: expect.any(String) };
    expect(claims).toMatchObject({ ...expected, iat: expect.any(Number), exp: expect.any(Number) });
  }),
  row('2.4', 'sub is that of the ID token', async () => {
    const { claims, idToken } = await leave();
    expect(claims.sub).toBe(idToken.sub);
  }),
  row('2.1, 2.4', 'sid is that of the ID token', async () => {
    const { claims, idToken } = await leave();
    expect(typeof claims.sid).toBe('string');
    expect(claims.sid).toBe(idToken.sid);
  }),
  row('2.4', 'events has the one member, an empty object', async () => {
    expect((await leave()).claims.events).toEqual({ [EVENT]: {} });
  }),
  row('2.4', 'there is no nonce', async () => expect((await leave()).claims).not.toHaveProperty('nonce')),
  row('2.4', 'typ is logout+jwt', async () => {
    expect(decodeProtectedHeader((await leave()).token).typ).toBe('logout+jwt');
  }),
  row('2.4', 'it is over within two minutes', async () => {
    const { claims } = await leave();
    expect(claims.exp - claims.iat).toBeLessThanOrEqual(120);
  }),
  row('2.6', 'it is signed by the key and algorithm of ID tokens', async () => {
    const { body, token } = await leave();
    expect(decodeProtectedHeader(token).alg).toBe(decodeProtectedHeader(body.id_token).alg);
    await verifyLogoutToken(world().service, world().org, token, { clientId: world().app.id });
  }),
  row('2.4', 'each has a jti of its own', async () => {
    const first = (await leave()).claims.jti;
    receiver.received.length = 0;
    expect((await leave()).claims.jti).not.toBe(first);
  }),
  row('4', 'it is no ID token: not as a hint, nor for the API', async () => {
    const { token } = await leave();
    const { app, browser, org } = world();
    const { parameters } = answered(await ask(browser.client, app, { id_token_hint: token, prompt: 'none' }));
    expect(parameters).toMatchObject({ error: 'invalid_request' });
    expect((await org.client({ authorization: `Bearer ${token}` }).get('/api/v1/users')).status).toBe(401);
  }),
  row('2.8', '204 is as good as 200', async () => {
    receiver.answer = () => 204;
    await leave();
    expect(receiver.received).toHaveLength(1);
  }),
  row('2.8', 'an app that refuses does not keep the session alive', async () => {
    receiver.answer = () => 400;
    const { browser } = await leave();
    const { to } = answered(await ask(browser.client, world().app));
    expect(to).not.toBe(CALLBACK);
  }),
  row('2.7', 'refresh tokens with offline_access outlive the session', async () => {
    const { body } = await leave({ scope: 'openid offline_access' });
    expect((await refresh(world().org, world().app, body.refresh_token)).status).toBe(200);
  }),
];

describeProfile('OpenID Connect Back-Channel Logout', ROWS);
