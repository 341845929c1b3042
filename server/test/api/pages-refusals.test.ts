import { describe, expect, test } from 'vitest';
import { mailTo, newUser } from '../support/authn.ts';
import { beforeTests } from '../support/before-tests.ts';
import type { TestResponse } from '../support/client.ts';
import { formsIn } from '../support/forms.ts';
import { openPageClient, type PageClient, setCookies, signInByPages } from '../support/page-client.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { ANOTHER_PASSWORD, PASSWORD, userIn } from '../support/users.ts';

const { service, org } = useService();
const other = beforeTests(() => service.newOrg());

const loginOf = (user: TestResponse['body']): string => String(user.profile.login);
const locationOf = ({ headers }: TestResponse): string => String(headers['location']);

async function signedIn(where: TestOrg = org): Promise<{ browser: PageClient; user: TestResponse['body'] }> {
  const user = await newUser(where);
  const browser = openPageClient(where);
  await signInByPages(browser, loginOf(user));
  return { browser, user };
}

/** Returns the last form of a page, with the given values filled in. */
async function formOf(browser: PageClient, page: string, fields: Readonly<Record<string, string>>) {
  const [form] = formsIn((await browser.get(page)).text).slice(-1);
  if (form === undefined) throw new Error(`no form in ${page}`);
  return { action: form.action, fields: { ...form.fields, ...fields } };
}

describe('a form that was not sent by our own page in this browser', () => {
  const FORMS: readonly (readonly [page: string, fields: Readonly<Record<string, string>>])[] = [
    ['/signin', { username: 'somebody@example.com' }],
    ['/signin?step=password&login_hint=x', { password: PASSWORD }],
    ['/signin/forgot-password', { username: 'somebody@example.com' }],
    ['/signin/unlock', { username: 'somebody@example.com' }],
    [`/welcome/${'a'.repeat(20)}`, {}],
  ];
  const OWN: typeof FORMS = [
    ['/account/password', { oldPassword: PASSWORD, newPassword: ANOTHER_PASSWORD, repeatPassword: ANOTHER_PASSWORD }],
    ['/account/profile', { 'profile.nickName': 'Nobody', password: PASSWORD }],
    ['/account/sessions', { end: 'others' }],
    ['/activate', { user_code: 'BCDFGHJK' }],
    ['/signout', {}],
  ];

  const MISSING = [
    '/app/:appName/:externalKey/sso/saml',
    '/app/:appName/:externalKey/slo/saml',
    '/sso/saml2',
    '/sso/saml2/:idpId',
    '/oauth2/v1/authorize/callback',
  ];

  /** The remaining forms, each with the location of its test. */
  const ELSEWHERE = {
    '/signin/step': 'below',
    '/consent': 'consent-page.test.ts',
    '/account/consents': 'pages-consents.test.ts',
    '/account/requests': 'backchannel-pages.test.ts',
    '/account/requests/confirm': 'backchannel-pages.test.ts',
    '/activate/confirm': 'device-pages.test.ts',
    '/oauth2/v1/logout': 'logout-requests.test.ts',
    '/oauth2/:authorizationServerId/v1/logout': 'logout-requests.test.ts',
    // Pages of apps may send these forms, so requests from other origins are accepted.
    '/oauth2/v1/authorize': 'authorize-tabs.test.ts',
    '/oauth2/:authorizationServerId/v1/authorize': 'authorize-tabs.test.ts',
    // The features at these addresses are not implemented.
    ...Object.fromEntries(MISSING.map((url) => [url, 'webfinger-links.test.ts'])),
  };

  test('no form is missing', () => {
    const sent = service.application.routes.filter(
      ({ bodyType, errorShape }) => [bodyType, errorShape].join() === 'form,page',
    );
    const here = [...FORMS, ...OWN].map(([page]) => new URL(page, org.baseUrl).pathname);
    const tried = here.map((path) => (path.startsWith('/welcome/') ? '/signin/redeem' : path));
    expect(new Set(sent.map(({ url }) => url))).toEqual(new Set([...tried, ...Object.keys(ELSEWHERE)]));
  });

  async function refusals(browser: PageClient, [page, fields]: (typeof FORMS)[number]): Promise<number[]> {
    const form = await formOf(browser, page, fields);
    const { formToken: _, ...withoutToken } = form.fields;
    const stranger = openPageClient(org);
    const flow = browser.cookies.get('__Host-flow') ?? '';
    const send = async (sent: Record<string, string>, headers: Record<string, string> = {}) =>
      (await browser.post(form.action, sent, headers)).status;
    const statuses = [
      await send(withoutToken),
      await send({ ...form.fields, formToken: '' }),
      await send({ ...form.fields, formToken: 'x'.repeat(43) }),
      await send(form.fields, { origin: 'https://evil.example' }),
      await send(form.fields, { origin: other.baseUrl }),
      await send(form.fields, { origin: 'null' }),
      await send(form.fields, { origin: '' }),
      await send(form.fields, { origin: '', 'sec-fetch-site': 'same-site' }),
      await send(form.fields, { origin: '', 'sec-fetch-site': 'cross-site' }),
    ];
    // Another browser sends the form token. That browser has its own flow cookie and otherwise the same cookies.
    for (const [name, value] of browser.cookies) if (!name.startsWith('__Host-flow')) stranger.cookies.set(name, value);
    await stranger.get('/signin?reauthenticate=true');
    expect(stranger.cookies.get('__Host-flow')).not.toBe(flow);
    return [...statuses, (await stranger.post(form.action, form.fields)).status];
  }

  test.each(FORMS)('%s is refused', async (page, fields) => {
    const statuses = await refusals(openPageClient(org), [page, fields]);
    expect(statuses).toEqual(Array.from({ length: 10 }, () => 403));
  });

  test.each(OWN)('%s is refused, and changes nothing', async (page, fields) => {
    const { browser, user } = await signedIn();
    const another = openPageClient(org);
    await signInByPages(another, loginOf(user));
    expect(await refusals(browser, [page, fields])).toEqual(Array.from({ length: 10 }, () => 403));
    expect((await org.admin.get(`/api/v1/users/${user.id}`)).body.profile).toEqual(user.profile);
    expect((await browser.get('/account/profile')).status).toBe(200);
    expect((await another.get('/account/profile')).status).toBe(200);
    expect((await signInByPages(openPageClient(org), loginOf(user))).status).toBe(303);
  });

  test('the step of a sign-in is refused', async () => {
    const browser = openPageClient(org);
    await signInByPages(browser, loginOf(await userIn(org, 'PASSWORD_EXPIRED')));
    const passwords = { oldPassword: PASSWORD, newPassword: ANOTHER_PASSWORD, repeatPassword: ANOTHER_PASSWORD };
    const statuses = await refusals(browser, ['/signin/step', { action: 'change', ...passwords }]);
    expect(statuses).toEqual(Array.from({ length: 10 }, () => 403));
  });

  test('a token for one form is none for another', async () => {
    const { browser } = await signedIn();
    const { fields } = await formOf(browser, '/signin/forgot-password', {});
    expect((await browser.post('/signout', { formToken: fields['formToken'] ?? '' })).status).toBe(403);
    expect((await browser.get('/account/profile')).status).toBe(200);
  });

  test('a form of an earlier session is none of this one', async () => {
    const { browser, user } = await signedIn();
    const another = openPageClient(org);
    await signInByPages(another, loginOf(user));
    const form = await formOf(browser, '/account/sessions', { end: 'others' });
    await browser.submit('/signout', {}, '/signout');
    await signInByPages(browser, loginOf(user));
    expect((await browser.post(form.action, form.fields)).status).toBe(403);
    expect((await another.get('/account/profile')).status).toBe(200);
  });
});

describe('login CSRF and fixation', () => {
  test('a sign-in takes no session id that was there before', async () => {
    const user = await newUser(org);
    const browser = openPageClient(org);
    const planted = `102${'A'.repeat(22)}`;
    browser.cookies.set('__Host-sid', planted);
    await signInByPages(browser, loginOf(user));
    const first = browser.cookies.get('__Host-sid');
    expect(first).not.toBe(planted);
    await browser.submit('/signin?reauthenticate=true', { username: loginOf(user) });
    const page = `/signin?reauthenticate=true&step=password&login_hint=${encodeURIComponent(loginOf(user))}`;
    await browser.submit(page, { password: PASSWORD });
    expect(browser.cookies.get('__Host-sid')).not.toBe(first);
  });

  test('a flow cookie that somebody planted is no use without the page that was shown for it', async () => {
    const attacker = openPageClient(org);
    const form = await formOf(attacker, '/signin?step=password&login_hint=x', { password: PASSWORD });
    const victim = openPageClient(org);
    const fromSibling = { origin: other.baseUrl, cookie: `__Host-flow=${attacker.cookies.get('__Host-flow')}` };
    expect((await victim.post(form.action, form.fields, fromSibling)).status).toBe(403);
  });

  test('a cookie that comes twice, or is malformed, counts as absent', async () => {
    const { browser } = await signedIn();
    const id = browser.cookies.get('__Host-sid') ?? '';
    const flow = browser.cookies.get('__Host-flow') ?? '';
    for (const cookie of [`__Host-sid=${id}; __Host-sid=${id}`, '__Host-sid=102', `sid=${id}`, `__Host-sid=${id}x`]) {
      const answer = await openPageClient(org).get('/account/profile', { cookie });
      expect([answer.status, locationOf(answer)]).toEqual([303, '/signin?fromURI=%2Faccount%2Fprofile']);
    }
    const form = await formOf(browser, '/signin/forgot-password', { username: 'x@example.com' });
    const tossed = { cookie: `__Host-flow=${flow}; __Host-flow=${flow}` };
    expect((await browser.post(form.action, form.fields, tossed)).status).toBe(403);
    const step = openPageClient(org);
    await signInByPages(step, loginOf(await userIn(org, 'PASSWORD_EXPIRED')));
    const state = `__Host-state=${step.cookies.get('__Host-state')}`;
    expect((await openPageClient(org).get('/signin/step', { cookie: state })).status).toBe(200);
    for (const cookie of [`${state}; ${state}`, `${state}x`, state.replace('__Host-', '')]) {
      expect(locationOf(await openPageClient(org).get('/signin/step', { cookie }))).toBe('/signin?done=over');
    }
  });

  test('cookies of another org are nothing here', async () => {
    const { browser } = await signedIn(other);
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await openPageClient(org).get('/account/profile', { cookie });
    expect(answer.status).toBe(303);
    const step = openPageClient(other);
    await signInByPages(step, loginOf(await userIn(other, 'PASSWORD_EXPIRED')));
    const state = `__Host-state=${step.cookies.get('__Host-state')}`;
    expect(locationOf(await openPageClient(org).get('/signin/step', { cookie: state }))).toBe('/signin?done=over');
  });

  test('a token that was mailed by another org is none here', async () => {
    const user = await userIn(other, 'PROVISIONED');
    const { token } = await mailTo(service, other, user);
    expect((await openPageClient(org).submit(`/welcome/${token}`, {}, '/signin/redeem')).status).toBe(401);
    expect((await openPageClient(other).submit(`/welcome/${token}`, {}, '/signin/redeem')).status).toBe(303);
  });
});

describe('fromURI', () => {
  const ELSEWHERE = [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/..//evil.example',
    '/\t/evil.example',
    '/%0d%0aSet-Cookie:%20a=b',
    'javascript:alert(1)',
    'https:evil.example',
    '/@evil.example/..//x',
  ];

  test.each(ELSEWHERE)('%j leads nowhere but to the org', async (fromUri) => {
    const { browser, user } = await signedIn();
    const straight = await browser.get(`/signin?fromURI=${encodeURIComponent(fromUri)}`);
    const signed = await signInByPages(openPageClient(org), loginOf(user), { fromUri });
    for (const answer of [straight, signed]) {
      expect(answer.status).toBe(303);
      expect(locationOf(answer)).toMatch(/^\/(?!\/)/);
      expect(new URL(locationOf(answer), org.baseUrl).origin).toBe(org.baseUrl);
      expect(setCookies(answer)['a']).toBeUndefined();
    }
  });
});
