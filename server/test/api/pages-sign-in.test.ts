import { describe, expect, test, vi } from 'vitest';
import { denySignOn, mailTo, newUser, policyWith, WRONG } from '../support/authn.ts';
import type { TestResponse } from '../support/client.ts';
import { formsIn } from '../support/forms.ts';
import { openPageClient, type PageClient, setCookies, signInByPages } from '../support/page-client.ts';
import { useService } from '../support/use-service.ts';
import { ANOTHER_PASSWORD, eventsOf, lockOut, PASSWORD, QUESTION, userIn, userPath } from '../support/users.ts';

const { service, org } = useService();

const FAILED = 'You could not be signed in.';
const locationOf = ({ headers }: TestResponse): string => String(headers['location']);
const loginOf = (user: TestResponse['body']): string => String(user.profile.login);
const meOf = (browser: PageClient): Promise<TestResponse> =>
  browser.get('/api/v1/users/me', { accept: 'application/json' });

describe('signing in', () => {
  test('asks for the name, then for the password, and leads on with a session', async () => {
    const user = await newUser(org);
    const browser = openPageClient(org);
    const named = await browser.submit('/signin?fromURI=%2Faccount%2Fprofile', { username: loginOf(user) });
    expect(named.status).toBe(303);
    expect(locationOf(named)).toMatch(/^\/signin\?step=password&login_hint=/);
    const signedIn = await browser.submit(locationOf(named), { password: PASSWORD });
    expect(signedIn.status).toBe(303);
    expect(locationOf(signedIn)).toBe('/account/profile');
    expect(setCookies(signedIn)['__Host-sid']).toMatch(/^102[\w-]{22}; Path=\/; Secure; HttpOnly; SameSite=Lax$/);
    expect((await meOf(browser)).body.id).toBe(user.id);
    expect(await eventsOf(org, signedIn)).toMatchObject([
      { eventType: 'policy.evaluate_sign_on' },
      { eventType: 'user.session.start', actor: { id: user.id }, outcome: { result: 'SUCCESS' } },
    ]);
  });

  test('whoever has a session goes straight on, unless asked anew', async () => {
    const browser = openPageClient(org);
    await signInByPages(browser, loginOf(await newUser(org)));
    const again = await browser.get('/signin?fromURI=%2Faccount%2Fprofile%3Fa%3Db');
    expect([again.status, locationOf(again)]).toEqual([303, '/account/profile?a=b']);
    const anew = await browser.get('/signin?fromURI=%2Faccount%2Fprofile&reauthenticate=true');
    expect(anew.status).toBe(200);
  });

  test('leads on to no address that would sign somebody else in', async () => {
    const browser = openPageClient(org);
    await signInByPages(browser, loginOf(await newUser(org)));
    for (const path of ['/login/sessionCookieRedirect?token=T', '/oauth2/v1/authorize?client_id=x&sessionToken=T']) {
      expect(locationOf(await browser.get(`/signin?fromURI=${encodeURIComponent(path)}`))).toBe('/');
      expect(locationOf(await signInByPages(openPageClient(org), loginOf(await newUser(org)), { fromUri: path }))).toBe(
        '/',
      );
    }
  });

  test('the links to recovery keep where to go on to, and lead back with it', async () => {
    const browser = openPageClient(org);
    const query = 'fromURI=%2Faccount%2Fprofile';
    const page = await browser.get(`/signin?${query}`);
    for (const path of ['/signin/forgot-password', '/signin/unlock']) {
      expect(page.text).toContain(`href="${path}?${query}"`);
      const asked = await browser.get(`${path}?${query}`);
      expect(asked.text).toContain(`href="/signin?${query}"`);
      const sent = await browser.submit(`${path}?${query}`, { username: 'nobody@example.com' });
      expect([sent.status, locationOf(sent)]).toEqual([303, `/signin/mail-sent?${query}`]);
      expect((await browser.get(locationOf(sent))).text).toContain(`href="/signin?${query}"`);
    }
    expect((await browser.get('/signin/unlock?fromURI=%2F%2Fevil.example')).text).toContain('<a href="/signin">');
  });

  test('wrong, unknown, suspended, locked and denied are one page', async () => {
    const active = await newUser(org);
    const suspended = await userIn(org, 'SUSPENDED');
    const locked = await userIn(org, 'LOCKED_OUT');
    const texts: string[] = [];
    const attempts = [
      [loginOf(active), WRONG],
      ['nobody@example.com', PASSWORD],
      [loginOf(suspended), PASSWORD],
      [loginOf(locked), PASSWORD],
    ] as const;
    for (const [username, password] of attempts) {
      const refused = await signInByPages(openPageClient(org), username, { password });
      expect(refused.status).toBe(401);
      expect(setCookies(refused)['__Host-sid']).toBeUndefined();
      texts.push(
        refused.text.replaceAll(username, '').replaceAll(/value="[^"]*"|nonce="[^"]*"|login_hint=[^"&]*/g, ''),
      );
    }
    expect(texts[0]).toContain(FAILED);
    expect(new Set(texts).size).toBe(1);
  });

  test('a lockout is told where the password policy wants it shown', async () => {
    const user = await newUser(org);
    await lockOut(org.admin, user.id);
    const shown = policyWith({ lockout: { showLockoutFailures: true } });
    vi.spyOn(service.application.users, 'passwordPolicyFor').mockResolvedValue(shown);
    const browser = openPageClient(org);
    const refused = await signInByPages(browser, loginOf(user), { fromUri: '/account/profile' });
    vi.restoreAllMocks();
    expect([refused.status, locationOf(refused)]).toEqual([303, '/signin?done=locked&fromURI=%2Faccount%2Fprofile']);
    expect((await browser.get(locationOf(refused))).text).toContain('Your account is locked');
    expect(setCookies(refused)['__Host-sid']).toBeUndefined();
  });

  test('who is denied by the sign-on policy gets no session', async () => {
    const other = await service.newOrg();
    const user = await newUser(other);
    await denySignOn(service, other, { connection: 'ANYWHERE' });
    const refused = await signInByPages(openPageClient(other), loginOf(user));
    expect(refused.status).toBe(401);
    expect(refused.text).toContain(FAILED);
  });

  test('too many tries are a page with status 429 that says when it ends', async () => {
    const other = await service.newOrg();
    const user = await newUser(other);
    const browser = openPageClient(other);
    // The clock stops at the start of a minute, so that all attempts fall into one rate limit window.
    const now = new Date(Math.ceil(service.clock.now().getTime() / 60_000) * 60_000 + 60_000);
    vi.spyOn(service.clock, 'now').mockImplementation(() => new Date(now));
    for (let tries = 0; tries < 100; tries += 1) {
      await other.client({ 'x-device-fingerprint': `d${tries}` }).post('/api/v1/authn', {
        body: { username: `nobody${tries}@example.com`, password: WRONG },
      });
    }
    const limited = await signInByPages(browser, loginOf(user));
    vi.restoreAllMocks();
    expect(limited.status).toBe(429);
    expect(limited.text).toContain('Too many attempts');
    expect(limited.headers['x-rate-limit-reset']).toMatch(/^\d+$/);
    expect(setCookies(limited)['__Host-sid']).toBeUndefined();
  });
});

describe('mailed links', () => {
  const redeem = (browser: PageClient, url: string) => browser.submit(new URL(url).pathname, {}, '/signin/redeem');
  const setPassword = (browser: PageClient, newPassword: string) =>
    browser.submit('/signin/step', { action: 'reset', newPassword, repeatPassword: newPassword });

  test('a new user activates, chooses a password and is signed in', async () => {
    const user = await userIn(org, 'PROVISIONED');
    const { kind, url } = await mailTo(service, org, user);
    expect([kind, new URL(url).pathname.split('/')[1]]).toEqual(['activation', 'welcome']);
    const browser = openPageClient(org);
    const opened = await redeem(browser, url);
    expect([opened.status, locationOf(opened)]).toEqual([303, '/signin/step']);
    const signedIn = await setPassword(browser, PASSWORD);
    expect([signedIn.status, locationOf(signedIn)]).toEqual([303, '/']);
    expect((await meOf(browser)).body).toMatchObject({ id: user.id, status: 'ACTIVE' });
  });

  test('looking at a link, however often and by whatever program, uses nothing up', async () => {
    const user = await userIn(org, 'PROVISIONED');
    const path = new URL((await mailTo(service, org, user)).url).pathname;
    for (let looks = 0; looks < 3; looks += 1) expect((await openPageClient(org).get(path)).status).toBe(200);
    expect((await redeem(openPageClient(org), path.replace(/^/, org.baseUrl))).status).toBe(303);
  });

  test('a link works until its password is set; its page never tells a good token from another', async () => {
    const user = await userIn(org, 'PROVISIONED');
    const { url } = await mailTo(service, org, user);
    const first = openPageClient(org);
    await redeem(first, url);
    const again = openPageClient(org);
    expect((await redeem(again, url)).status).toBe(303);
    expect(locationOf(await first.get('/signin/step'))).toBe('/signin?done=over');
    expect(locationOf(await setPassword(again, PASSWORD))).toBe('/');
    const used = await redeem(openPageClient(org), url);
    expect(used.status).toBe(401);
    expect(used.text).toContain('This link no longer works');
    const shape = (text: string) => text.replaceAll(/value="[^"]*"|nonce="[^"]*"|\/welcome\/\w+/g, '');
    const [good, unknown] = [url, `${org.baseUrl}/welcome/${'a'.repeat(20)}`].map((link) => new URL(link).pathname);
    expect(shape((await openPageClient(org).get(good ?? '')).text)).toBe(
      shape((await openPageClient(org).get(unknown ?? '')).text),
    );
  });

  test('the token is in no Referer, in no address behind the first, and nothing else is loaded', async () => {
    const user = await userIn(org, 'PROVISIONED');
    const { token, url } = await mailTo(service, org, user);
    const browser = openPageClient(org);
    const page = await browser.get(new URL(url).pathname);
    expect(page.headers['referrer-policy']).toBe('strict-origin');
    expect(page.text).not.toMatch(/src="|href="https?:/);
    expect(formsIn(page.text).map(({ action }) => action)).toEqual(['/signin/redeem']);
    expect(locationOf(await redeem(browser, url))).not.toContain(token);
  });

  test('the link of a user who has a password leads to the sign-in, however often it is opened', async () => {
    const user = await userIn(org, 'STAGED');
    const path = `/api/v1/users/${user.id}/lifecycle/activate?sendEmail=false`;
    const { activationUrl } = (await org.admin.post(path)).body;
    for (let opened = 0; opened < 2; opened += 1) {
      const answered = await redeem(openPageClient(org), activationUrl);
      expect([answered.status, locationOf(answered)]).toEqual([303, '/signin']);
    }
  });

  test('a link of one kind is none of another', async () => {
    const user = await userIn(org, 'PROVISIONED');
    const { token } = await mailTo(service, org, user);
    const refused = await redeem(openPageClient(org), `${org.baseUrl}/signin/reset-password/${token}`);
    expect(refused.status).toBe(401);
  });

  test('forgotten: one answer for every name, then the question, then a new password', async () => {
    const user = await newUser(org);
    for (const username of ['nobody@example.com', loginOf(user)]) {
      const sent = await openPageClient(org).submit('/signin/forgot-password', { username });
      expect([sent.status, locationOf(sent)]).toEqual([303, '/signin/mail-sent']);
    }
    const browser = openPageClient(org);
    await redeem(browser, (await mailTo(service, org, user)).url);
    const answer = (text: string) => browser.submit('/signin/step', { action: 'answer', answer: text });
    expect((await browser.get('/signin/step')).text).toContain(QUESTION.question);
    const wrong = await answer('a wrong one');
    expect([wrong.status, wrong.text.includes('This answer is incorrect')]).toEqual([403, true]);
    expect(locationOf(await answer(QUESTION.answer))).toBe('/signin/step');
    expect((await setPassword(browser, ANOTHER_PASSWORD)).status).toBe(303);
    expect((await signInByPages(openPageClient(org), loginOf(user), { password: ANOTHER_PASSWORD })).status).toBe(303);
  });

  test('an administrator’s reset leads to the same page', async () => {
    const user = await newUser(org);
    await org.admin.post(`${userPath(user.id)}/lifecycle/reset_password?sendEmail=true`);
    const { url } = await mailTo(service, org, user);
    expect(new URL(url).pathname.split('/')[1]).toBe('reset_password');
    expect(locationOf(await redeem(openPageClient(org), url))).toBe('/signin/step');
  });

  test('a locked user unlocks by mail', async () => {
    const user = await org.createUser({ credentials: { password: { value: PASSWORD } } });
    await lockOut(org.admin, user.id);
    await openPageClient(org).submit('/signin/unlock', { username: loginOf(user) });
    const browser = openPageClient(org);
    const unlocked = await redeem(browser, (await mailTo(service, org, user)).url);
    expect([unlocked.status, locationOf(unlocked)]).toEqual([303, '/signin?done=unlocked']);
    expect((await browser.get('/signin?done=unlocked')).text).toContain('Your account is unlocked');
    expect((await signInByPages(browser, loginOf(user))).status).toBe(303);
  });
});
