import { beforeEach, expect } from 'vitest';
import { newBrowser, newOidcApp, type OidcApp } from '../support/authorization.ts';
import type { TestClient } from '../support/client.ts';
import { describeProfile, openWorld, REFRESHABLE, row, tokensTo } from '../support/conformance.ts';
import { AFTER_LOGOUT, fieldsIn, idTokenOf, LOGOUT, logoutPath, sendForm } from '../support/logout.ts';

const world = openWorld({
  app: { settings: { ...REFRESHABLE, post_logout_redirect_uris: [AFTER_LOGOUT, `${AFTER_LOGOUT}?from=op`] } },
});

let browser: TestClient;
let hint: string;
let userId: string;

beforeEach(async () => {
  const { app, org, service } = world();
  const own = await newBrowser(service, org, app);
  browser = own.client;
  userId = own.userId;
  hint = (await tokensTo({ org, app, browser: own })).id_token;
});

const isSignedIn = async (): Promise<boolean> => {
  const { headers } = await browser.get(`/oauth2/v1/authorize?${new URLSearchParams(request(world().app)).toString()}`);
  return String(headers['location']).includes('code=');
};
const request = ({ id }: OidcApp) => ({
  client_id: id,
  redirect_uri: 'https://app.example/callback',
  response_type: 'code',
  scope: 'openid',
  state: 's',
  prompt: 'none',
});

const leave = (parameters: Readonly<Record<string, string>>) => browser.get(logoutPath(parameters));

const isRefused = async (parameters: Readonly<Record<string, string>>): Promise<void> => {
  const answer = await leave(parameters);
  expect(answer).toMatchObject({ status: 400, headers: { 'content-type': 'text/html; charset=utf-8' } });
  expect(answer.headers['location']).toBeUndefined();
  expect(await isSignedIn()).toBe(true);
};

const isAsked = async (parameters: Readonly<Record<string, string>>): Promise<string> => {
  const page = await leave(parameters);
  expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
  expect(page.headers['location']).toBeUndefined();
  expect(await isSignedIn()).toBe(true);
  return page.text;
};

const ROWS = [
  row('2.1', 'end_session_endpoint is announced, by https', async () => {
    const { body } = await world().org.anonymous.get('/.well-known/openid-configuration');
    expect(body.end_session_endpoint).toBe(world().org.baseUrl + LOGOUT);
  }),
  row('2', 'by GET with the ID token the session ends, and the user goes back', async () => {
    const answer = await leave({ id_token_hint: hint, post_logout_redirect_uri: AFTER_LOGOUT });
    expect(answer).toMatchObject({ status: 302, headers: { location: AFTER_LOGOUT } });
    expect(await isSignedIn()).toBe(false);
  }),
  row('2', 'by POST of a form as well', async () => {
    const form = { id_token_hint: hint, post_logout_redirect_uri: AFTER_LOGOUT, state: 's' };
    const answer = await sendForm(browser, form, { headers: { origin: world().org.baseUrl } });
    expect(answer).toMatchObject({ status: 303, headers: { location: `${AFTER_LOGOUT}?state=s` } });
    expect(await isSignedIn()).toBe(false);
  }),
  row('2', 'an ID token that is over is taken', async () => {
    const { app, org, service } = world();
    const old = await idTokenOf(service, org, { sub: userId, aud: app.id, iat: 1, exp: 2 });
    const answer = await leave({ id_token_hint: old, post_logout_redirect_uri: AFTER_LOGOUT });
    expect(answer.headers['location']).toBe(AFTER_LOGOUT);
    expect(await isSignedIn()).toBe(false);
  }),
  row('2', 'an ID token of another issuer is refused', async () => {
    const other = await world().service.newOrg();
    const foreign = await idTokenOf(world().service, other, { sub: userId, aud: world().app.id });
    await isRefused({ id_token_hint: foreign, post_logout_redirect_uri: AFTER_LOGOUT });
  }),
  row('2, 4', 'an ID token with another signature is refused', async () => {
    await isRefused({ id_token_hint: `${hint.slice(0, -6)}AAAAAA`, post_logout_redirect_uri: AFTER_LOGOUT });
  }),
  row('2', 'client_id with another’s ID token is refused', async () => {
    const other = await newOidcApp(world().org);
    await isRefused({ id_token_hint: hint, client_id: other.id });
  }),
  row('2', 'client_id that is the audience is fine', async () => {
    const { status } = await leave({ id_token_hint: hint, client_id: world().app.id });
    expect([status, await isSignedIn()]).toEqual([200, false]);
  }),
  row('2', 'state comes back as it was', async () => {
    const parameters = { id_token_hint: hint, post_logout_redirect_uri: AFTER_LOGOUT, state: 'a b&c=ä' };
    const location = String((await leave(parameters)).headers['location']);
    expect(new URL(location).searchParams.get('state')).toBe('a b&c=ä');
  }),
  row('2', 'without state none is added', async () => {
    const { headers } = await leave({ id_token_hint: hint, post_logout_redirect_uri: AFTER_LOGOUT });
    expect(headers['location']).toBe(AFTER_LOGOUT);
  }),
  row('3', 'a registered address with a query keeps it', async () => {
    const uri = `${AFTER_LOGOUT}?from=op`;
    const { headers } = await leave({ id_token_hint: hint, post_logout_redirect_uri: uri, state: 's' });
    expect(headers['location']).toBe(`${uri}&state=s`);
  }),
  row('2', 'ui_locales and logout_hint are no error', async () => {
    const { status } = await leave({ id_token_hint: hint, ui_locales: 'fr', logout_hint: 'ada@example.com' });
    expect([status, await isSignedIn()]).toEqual([200, false]);
  }),
  row('2, 6', 'without an ID token the user is asked', async () => {
    await isAsked({ client_id: world().app.id, post_logout_redirect_uri: AFTER_LOGOUT });
  }),
  row('2', 'without anything the user is asked, and stays', async () => void (await isAsked({}))),
  row('2', 'whoever says yes is signed out, and goes back', async () => {
    const page = await isAsked({ client_id: world().app.id, post_logout_redirect_uri: AFTER_LOGOUT, state: 's' });
    const answer = await sendForm(browser, fieldsIn(page), { headers: { origin: world().org.baseUrl } });
    expect(answer).toMatchObject({ status: 303, headers: { location: `${AFTER_LOGOUT}?state=s` } });
    expect(await isSignedIn()).toBe(false);
  }),
  row('2, 6', 'the ID token of another user asks first', async () => {
    const { app, org, service } = world();
    const other = await newBrowser(service, org, app);
    const { id_token: theirs } = await tokensTo({ org, app, browser: other });
    await isAsked({ id_token_hint: theirs, post_logout_redirect_uri: AFTER_LOGOUT });
  }),
  row('3', 'post_logout_redirect_uri is a registered one, to the letter', async () => {
    for (const uri of [
      `${AFTER_LOGOUT}/`,
      `${AFTER_LOGOUT}?x=1`,
      'https://evil.example/',
      AFTER_LOGOUT.toUpperCase(),
    ]) {
      await isRefused({ id_token_hint: hint, post_logout_redirect_uri: uri });
    }
  }),
  row('3', 'post_logout_redirect_uri without a client that is known is not followed', () =>
    isRefused({ post_logout_redirect_uri: AFTER_LOGOUT }),
  ),
  row('2', 'in a browser without a session the user goes back all the same', async () => {
    const parameters = { id_token_hint: hint, post_logout_redirect_uri: AFTER_LOGOUT };
    const answer = await world().org.anonymous.get(logoutPath(parameters));
    expect(answer.headers['location']).toBe(AFTER_LOGOUT);
  }),
  row('4', 'an error is a page, and no redirection', () => isRefused({ id_token_hint: 'x' })),
];

describeProfile('OpenID Connect RP-Initiated Logout', ROWS);
