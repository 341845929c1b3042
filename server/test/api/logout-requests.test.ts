import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createApp, webApp } from '../support/apps.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import {
  AFTER_LOGOUT,
  aboutSession,
  browserOf,
  fieldsIn,
  holds,
  idTokenOf,
  LOGOUT,
  logoutPath,
  sendForm,
} from '../support/logout.ts';
import { type OpenSession, openSession } from '../support/session-tokens.ts';
import { useService } from '../support/use-service.ts';

const CLEARED = expect.arrayContaining([expect.stringMatching(/^__Host-sid=; Max-Age=0;.*Secure; HttpOnly/)]);

const { service, org } = useService();
let clientId: string;
let session: OpenSession;

beforeAll(async () => {
  const uris = [AFTER_LOGOUT, 'https://app.example.com/out?from=idp'];
  ({ id: clientId } = await createApp(org, webApp({ post_logout_redirect_uris: uris })));
});
beforeEach(async () => {
  session = await openSession(service, org);
});

const hintOf = (of = session) => idTokenOf(service, org, aboutSession(of, clientId));

describe('with the ID token of the session', () => {
  test('it ends, the cookie goes, and the browser goes on with its state', async () => {
    const parameters = { id_token_hint: await hintOf(), post_logout_redirect_uri: AFTER_LOGOUT, state: 'a b&c' };
    const answer = await browserOf(org, session).get(logoutPath(parameters));
    expect(answer).toMatchObject({
      status: 302,
      headers: { location: `${AFTER_LOGOUT}?state=a%20b%26c`, 'set-cookie': CLEARED, 'referrer-policy': 'no-referrer' },
    });
    expect(await holds(session)).toBe(false);
    const [event] = await org.systemLog('eventType eq "user.session.end"');
    expect(event).toMatchObject({
      actor: { id: session.userId },
      target: [{ id: session.userId, type: 'User' }],
      authenticationContext: { externalSessionId: session.externalSessionId },
    });
  });

  test('no other session of the user does', async () => {
    const other = await openSession(service, org, { userId: session.userId });
    const answer = await browserOf(org, session).get(logoutPath({ id_token_hint: await hintOf() }));
    expect(answer).toMatchObject({ status: 200, headers: { 'set-cookie': CLEARED } });
    expect(answer.text).toContain('You are signed out');
    expect([await holds(session), await holds(other)]).toEqual([false, true]);
  });

  test('an address with a query keeps it; without state nothing is added', async () => {
    const uri = 'https://app.example.com/out?from=idp';
    const hint = await hintOf();
    const path = logoutPath({ id_token_hint: hint, post_logout_redirect_uri: uri, state: 's' });
    expect((await browserOf(org, session).get(path)).headers['location']).toBe(`${uri}&state=s`);
    const again = logoutPath({ id_token_hint: hint, post_logout_redirect_uri: uri });
    expect((await browserOf(org, session).get(again)).headers['location']).toBe(uri);
  });

  test('expired it is as good', async () => {
    const hint = await idTokenOf(service, org, { ...aboutSession(session, clientId), iat: 1, exp: 2 });
    expect((await browserOf(org, session).get(logoutPath({ id_token_hint: hint }))).status).toBe(200);
    expect(await holds(session)).toBe(false);
  });

  test('without a session id, of its user', async () => {
    const hint = await idTokenOf(service, org, { sub: session.userId, aud: clientId });
    await browserOf(org, session).get(logoutPath({ id_token_hint: hint }));
    expect(await holds(session)).toBe(false);
  });

  test('in a browser without a session it goes straight on', async () => {
    const parameters = { id_token_hint: await hintOf(), post_logout_redirect_uri: AFTER_LOGOUT, state: 's' };
    const answer = await org.anonymous.get(logoutPath(parameters));
    expect(answer).toMatchObject({ status: 302, headers: { location: `${AFTER_LOGOUT}?state=s` } });
    expect(await holds(session)).toBe(true);
    expect((await org.anonymous.get(LOGOUT)).text).toContain('You are signed out');
  });

  test('twice is as good as once', async () => {
    const path = logoutPath({ id_token_hint: await hintOf(), post_logout_redirect_uri: AFTER_LOGOUT });
    const answers = await Promise.all([1, 2, 3].map(() => browserOf(org, session).get(path)));
    expect(answers.map(({ status }) => status)).toEqual([302, 302, 302]);
    const ended = await org.systemLog(`eventType eq "user.session.end" and target.id eq "${session.userId}"`);
    expect(ended).toHaveLength(1);
  });
});

describe('by POST', () => {
  test('from a page of ours it is as by GET', async () => {
    const form = { id_token_hint: await hintOf(), post_logout_redirect_uri: AFTER_LOGOUT, state: 's' };
    const answer = await sendForm(browserOf(org, session), form, { headers: { origin: org.baseUrl } });
    expect(answer).toMatchObject({ status: 303, headers: { location: `${AFTER_LOGOUT}?state=s` } });
    expect(await holds(session)).toBe(false);
  });

  test("from an app's page, which brings no cookie, our own page sends it again", async () => {
    const form = { id_token_hint: await hintOf(), post_logout_redirect_uri: AFTER_LOGOUT, state: '"<b>' };
    const headers = { origin: 'https://app.example.com', 'sec-fetch-site': 'cross-site' };
    const page = await sendForm(org.anonymous, form, { headers });
    expect(page).toMatchObject({ status: 200, headers: { 'cache-control': expect.stringContaining('no-store') } });
    const nonce = /<script nonce="([^"]+)">/.exec(page.text)?.[1];
    expect(page.headers['content-security-policy']).toContain(`script-src 'nonce-${nonce}'`);
    expect(page.text).not.toContain('<b>');
    const again = await sendForm(browserOf(org, session), fieldsIn(page.text), {
      headers: { origin: org.baseUrl, 'sec-fetch-site': 'same-origin' },
    });
    expect(again).toMatchObject({ status: 303, headers: { location: `${AFTER_LOGOUT}?state=%22%3Cb%3E` } });
    expect(await holds(session)).toBe(false);
  });
});

describe('without an ID token', () => {
  const asked = { client_id: '', post_logout_redirect_uri: AFTER_LOGOUT, state: 'st' };

  test('people are asked first, and say yes on our page', async () => {
    const browser = browserOf(org, session);
    const page = await browser.get(logoutPath({ ...asked, client_id: clientId }));
    expect(page).toMatchObject({ status: 200, headers: { 'x-frame-options': 'DENY' } });
    expect(page.text).toContain('<h1>Sign out?</h1>');
    expect(page.text).not.toContain('<script');
    expect(await holds(session)).toBe(true);
    const yes = await sendForm(browser, fieldsIn(page.text), { headers: { origin: org.baseUrl } });
    expect(yes).toMatchObject({
      status: 303,
      headers: { location: `${AFTER_LOGOUT}?state=st`, 'set-cookie': CLEARED },
    });
    expect(await holds(session)).toBe(false);
  });

  test("with another user's, or another session's, too", async () => {
    const other = await openSession(service, org);
    const same = await openSession(service, org, { userId: session.userId });
    for (const of of [other, same]) {
      const page = await browserOf(org, session).get(logoutPath({ id_token_hint: await hintOf(of) }));
      expect(page.text).toContain('<h1>Sign out?</h1>');
    }
    expect([await holds(session), await holds(other), await holds(same)]).toEqual([true, true, true]);
  });

  test('row 54: a form of another origin, or with the token of another question, is asked again', async () => {
    const browser = browserOf(org, session);
    const fields = fieldsIn((await browser.get(logoutPath({ ...asked, client_id: clientId }))).text);
    const other = await openSession(service, org);
    const foreign = fieldsIn((await browserOf(org, other).get(logoutPath({ ...asked, client_id: clientId }))).text);
    const own = { origin: org.baseUrl };
    const tries: [Record<string, string>, Record<string, string>][] = [
      [fields, {}],
      [fields, { origin: 'https://evil.example' }],
      [fields, { origin: 'null' }],
      [fields, { origin: `${org.baseUrl}.evil.example` }],
      [foreign, own],
      [{ ...fields, state: 'another' }, own],
      [{ ...fields, form_token: 'x' }, own],
      [{ ...fields, form_token: '' }, own],
    ];
    for (const [form, headers] of tries) {
      const page = await sendForm(browser, form, { headers });
      expect(page.status).toBe(200);
      expect(page.text).toContain('<h1>Sign out?</h1>');
    }
    const byAddress = await browser.get(logoutPath(fields), { headers: own });
    expect(byAddress.text).toContain('<h1>Sign out?</h1>');
    expect(await holds(session)).toBe(true);
  });
});

test('a custom server does the same for its own ID tokens', async () => {
  const server = await newCustomServer(org);
  const path = `${server.oauth}/v1/logout`;
  const claims = { ...aboutSession(session, clientId), iss: server.issuer };
  const hint = await idTokenOf(service, org, claims, { serverId: server.id });
  const parameters = { id_token_hint: hint, post_logout_redirect_uri: AFTER_LOGOUT };
  const answer = await browserOf(org, session).get(logoutPath(parameters, path));
  expect(answer).toMatchObject({ status: 302, headers: { location: AFTER_LOGOUT } });
  expect(await holds(session)).toBe(false);
});

test('it is announced', async () => {
  const server = await newCustomServer(org);
  const supported = { backchannel_logout_supported: true, backchannel_logout_session_supported: true };
  const registration = { registration_endpoint: `${org.baseUrl}/oauth2/v1/clients` };
  const own = await org.anonymous.get('/.well-known/openid-configuration');
  expect(own.body).toMatchObject({ end_session_endpoint: org.baseUrl + LOGOUT, ...supported, ...registration });
  const custom = await org.anonymous.get(`${server.oauth}/.well-known/openid-configuration`);
  const endpoint = `${server.issuer}/v1/logout`;
  expect(custom.body).toMatchObject({ end_session_endpoint: endpoint, ...supported, ...registration });
});
