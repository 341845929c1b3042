import { describe, expect, test } from 'vitest';
import { newUser, WRONG } from '../support/authn.ts';
import type { TestResponse } from '../support/client.ts';
import { openPageClient, type PageClient, setCookies, signInByPages } from '../support/page-client.ts';
import { useService } from '../support/use-service.ts';
import { ANOTHER_PASSWORD, eventsOf, PASSWORD, userPath } from '../support/users.ts';

const { service, org } = useService({ isShared: false });

const loginOf = (user: TestResponse['body']): string => String(user.profile.login);
const locationOf = ({ headers }: TestResponse): string => String(headers['location']);

async function signedIn(user: TestResponse['body']): Promise<PageClient> {
  const browser = openPageClient(org);
  await signInByPages(browser, loginOf(user));
  return browser;
}

const isIn = async (browser: PageClient): Promise<boolean> => (await browser.get('/account/profile')).status === 200;

const bookmark = (label: string, url: string, hidden = false) => ({
  name: 'bookmark',
  label,
  signOnMode: 'BOOKMARK',
  visibility: { hide: { web: hidden, iOS: false } },
  settings: { app: { requestIntegration: false, url } },
});

describe('without a session', () => {
  test.each(['/account/profile', '/account/password', '/account/sessions'])(
    '%s leads to the sign-in and back',
    async (path) => {
      const answer = await openPageClient(org).get(path);
      expect([answer.status, locationOf(answer)]).toEqual([303, `/signin?fromURI=${encodeURIComponent(path)}`]);
    },
  );

  test('the address of the org shows the org', async () => {
    expect((await openPageClient(org).get('/')).text).toContain('href="/signin">Sign in</a>');
  });

  test.each(['suspend', 'deactivate'])('a session that ended by %s is none', async (operation) => {
    const user = await newUser(org);
    const browser = await signedIn(user);
    await org.admin.post(`${userPath(user.id)}/lifecycle/${operation}`);
    expect(await isIn(browser)).toBe(false);
  });
});

describe('my apps and my profile', () => {
  test('are those of the user, without what is hidden', async () => {
    const user = await newUser(org);
    const apps = [bookmark('Wiki', 'https://wiki.example/'), bookmark('Hidden one', 'https://hidden.example/', true)];
    for (const body of [...apps, bookmark('Not mine', 'https://not-mine.example/')]) {
      const app = (await org.admin.post('/api/v1/apps', { body })).body;
      if (body.label !== 'Not mine') await org.admin.post(`/api/v1/apps/${app.id}/users`, { body: { id: user.id } });
    }
    const { text } = await (await signedIn(user)).get('/');
    expect(text).toContain('Hello, Ada');
    expect(text).toContain('<span>Wiki</span>');
    expect(text).toMatch(/<img src="\/assets\/img\/logos\/default.svg" alt=""/);
    expect(text).not.toContain('Hidden one');
    expect(text).not.toContain('Not mine');
  });

  test('the profile shows what the schema lets users see of themselves', async () => {
    const custom = (action: string) => ({
      title: `Badge ${action}`,
      type: 'string',
      permissions: [{ principal: 'SELF', action }],
    });
    const properties = { badge: custom('READ_ONLY'), secret: custom('HIDE') };
    const body = { definitions: { custom: { id: '#custom', type: 'object', properties } } };
    const changed = await org.admin.post('/api/v1/meta/schemas/user/default', { body });
    expect(changed.status).toBe(200);
    const profile = { badge: 'B-17', secret: 'not for you', nickName: 'Countess' };
    const user = await org.createUser({ profile, credentials: { password: { value: PASSWORD } } });
    const { text } = await (await signedIn(user)).get('/account/profile');
    expect(text).toContain('<dd>B-17</dd>');
    expect(text).toContain('<dd>Countess</dd>');
    expect(text).not.toContain('not for you');
    expect(text).not.toContain('Badge HIDE');
  });
});

describe('my password', () => {
  const change = (browser: PageClient, oldPassword: string, newPassword: string, repeatPassword = newPassword) =>
    browser.submit('/account/password', { oldPassword, newPassword, repeatPassword }, '/account/password');

  test('is changed by whoever knows it; all other sessions end, and this one begins anew', async () => {
    const user = await newUser(org);
    const [browser, another] = [await signedIn(user), await signedIn(user)];
    const before = browser.cookies.get('__Host-sid');
    const changed = await change(browser, PASSWORD, ANOTHER_PASSWORD);
    expect([changed.status, locationOf(changed)]).toEqual([303, '/account/password?done=changed']);
    expect(browser.cookies.get('__Host-sid')).not.toBe(before);
    expect((await browser.get(locationOf(changed))).text).toContain('Your password has been changed');
    expect(await isIn(another)).toBe(false);
    const types = (await eventsOf(org, changed)).map(({ eventType }) => eventType);
    expect(types).toContain('user.account.update_password');
    expect(types).toContain('user.session.start');
  });

  test('is not changed with a wrong one, a bad one, or two that differ', async () => {
    const user = await newUser(org);
    const browser = await signedIn(user);
    const wrong = await change(browser, WRONG, ANOTHER_PASSWORD);
    expect([wrong.status, wrong.text.includes('The current password is incorrect')]).toEqual([403, true]);
    const short = await change(browser, PASSWORD, 'Short-1');
    expect([short.status, short.text.includes('At least 8 characters (not met)')]).toEqual([400, true]);
    const reused = await change(browser, PASSWORD, PASSWORD);
    expect(reused.text).toContain('Must not be one of your last 4 passwords (not met)');
    const differing = await change(browser, PASSWORD, ANOTHER_PASSWORD, PASSWORD);
    expect([differing.status, differing.text.includes('do not match')]).toEqual([400, true]);
    expect(await isIn(browser)).toBe(true);
    expect((await signInByPages(openPageClient(org), loginOf(user))).status).toBe(303);
  });
});

describe('my sessions', () => {
  const idsIn = ({ text }: TestResponse): string[] =>
    [...text.matchAll(/name="end" value="(trs[^"]+)"/g)].map(([, id]) => id ?? '');

  test('are listed without their secret ids, and others end one by one or all at once', async () => {
    const user = await newUser(org);
    const [browser, second, third] = [await signedIn(user), await signedIn(user), await signedIn(user)];
    const page = await browser.get('/account/sessions');
    expect(page.text).toContain('This session');
    expect(idsIn(page).length).toBe(2);
    for (const one of [browser, second, third]) expect(page.text).not.toContain(one.cookies.get('__Host-sid'));
    const [newest = ''] = idsIn(page);
    const ended = await browser.submit('/account/sessions', { end: newest }, '/account/sessions');
    expect([ended.status, locationOf(ended)]).toEqual([303, '/account/sessions?done=one']);
    expect([await isIn(second), await isIn(third)].toSorted()).toEqual([false, true]);
    expect(await eventsOf(org, ended)).toMatchObject([
      { eventType: 'user.session.end', authenticationContext: { externalSessionId: newest } },
    ]);
    await browser.submit('/account/sessions', { end: 'others' }, '/account/sessions');
    expect([await isIn(browser), await isIn(second), await isIn(third)]).toEqual([true, false, false]);
  });

  test('of others, and this one, do not end here', async () => {
    const browser = await signedIn(await newUser(org));
    const user = await newUser(org);
    const [stranger, another] = [await signedIn(user), await signedIn(user)];
    const [foreign = ''] = idsIn(await stranger.get('/account/sessions'));
    const own = await signedIn((await browser.get('/api/v1/users/me', { accept: 'application/json' })).body);
    const send = (end: string) => browser.submit('/account/sessions', { end }, '/account/sessions');
    for (const end of [foreign, 'trs0', '', "' or 1=1"]) expect(locationOf(await send(end))).toBe('/account/sessions');
    expect([await isIn(stranger), await isIn(another), await isIn(own), await isIn(browser)]).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });
});

describe('signing out', () => {
  test('ends the session on both sides', async () => {
    const user = await newUser(org);
    const browser = await signedIn(user);
    const id = browser.cookies.get('__Host-sid') ?? '';
    const ended = await browser.submit('/signout', {}, '/signout');
    expect([ended.status, locationOf(ended)]).toEqual([303, '/signout']);
    expect(setCookies(ended)['__Host-sid']).toMatch(/^; Max-Age=0;/);
    expect((await browser.get('/signout')).text).toContain('You are signed out');
    browser.cookies.set('__Host-sid', id);
    expect(await isIn(browser)).toBe(false);
    expect((await eventsOf(org, ended)).map(({ eventType }) => eventType)).toEqual(['user.session.end']);
  });

  test('by GET changes nothing', async () => {
    const browser = await signedIn(await newUser(org));
    expect((await browser.get('/signout')).text).toContain('You are signed in as');
    expect(await isIn(browser)).toBe(true);
  });

  test('twice is once', async () => {
    const browser = openPageClient(org);
    await signInByPages(browser, loginOf(await newUser(org)));
    const page = await browser.get('/signout');
    const token = /name="formToken" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    for (let times = 0; times < 2; times += 1) {
      expect((await browser.post('/signout', { formToken: token })).status).toBe(303);
    }
  });
});

describe('routing', () => {
  test('a login that belongs to another provider is told so, and to nobody who exists', async () => {
    const own = await service.newOrg();
    const key = await own.admin.post('/api/v1/idps', { body: oidcProvider });
    expect(key.status).toBe(200);
    const policies = (await own.admin.get('/api/v1/policies?type=IDP_DISCOVERY')).body;
    const rule = await own.admin.post(`/api/v1/policies/${policies[0].id}/rules`, { body: ruleTo(key.body.id) });
    expect(rule.status).toBe(200);
    service.clock.advance(1_100);
    const browser = openPageClient(own);
    const named = await browser.submit('/signin', { username: 'anybody@partner.example' });
    const page = await browser.get(locationOf(named));
    expect(page.text).toContain('Sign in with Partner');
    expect(page.text).not.toContain('type="password"');
    const home = await browser.submit('/signin', { username: 'anybody@example.com' });
    expect((await browser.get(locationOf(home))).text).toContain('type="password"');
  });
});

const oidcProvider = {
  type: 'OIDC',
  name: 'Partner',
  protocol: {
    type: 'OIDC',
    scopes: ['openid'],
    issuer: { url: 'https://partner.example' },
    endpoints: {
      authorization: { url: 'https://partner.example/authorize', binding: 'HTTP-REDIRECT' },
      token: { url: 'https://partner.example/token', binding: 'HTTP-POST' },
      jwks: { url: 'https://partner.example/keys', binding: 'HTTP-REDIRECT' },
    },
    credentials: { client: { client_id: 'us', client_secret: 'a-secret' } },
  },
  policy: {
    accountLink: { action: 'AUTO', filter: null },
    provisioning: { action: 'AUTO', groups: { action: 'NONE' } },
    subject: { userNameTemplate: { template: 'idpuser.email' }, matchType: 'USERNAME' },
    maxClockSkew: 0,
  },
};

const ruleTo = (providerId: string) => ({
  type: 'IDP_DISCOVERY',
  name: 'partners',
  conditions: {
    userIdentifier: { type: 'IDENTIFIER', patterns: [{ matchType: 'SUFFIX', value: 'partner.example' }] },
    network: { connection: 'ANYWHERE' },
  },
  actions: { idp: { providers: [{ id: providerId, type: 'OIDC' }], idpSelectionType: 'SPECIFIC' } },
});
