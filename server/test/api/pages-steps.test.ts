import { describe, expect, test } from 'vitest';
import { newUser, signIn, WRONG } from '../support/authn.ts';
import type { TestResponse } from '../support/client.ts';
import { openPageClient, type PageClient, setCookies, signInByPages } from '../support/page-client.ts';
import { useService } from '../support/use-service.ts';
import { ANOTHER_PASSWORD, PASSWORD, userIn, userPath } from '../support/users.ts';

const { service, org } = useService({ isShared: false });

const locationOf = ({ headers }: TestResponse): string => String(headers['location']);
const loginOf = (user: TestResponse['body']): string => String(user.profile.login);
const meOf = (browser: PageClient): Promise<TestResponse> =>
  browser.get('/api/v1/users/me', { accept: 'application/json' });

describe('steps before a session', () => {
  test('an expired password is changed on the way in', async () => {
    const user = await userIn(org, 'PASSWORD_EXPIRED');
    const browser = openPageClient(org);
    const proved = await signInByPages(browser, loginOf(user), { fromUri: '/account/profile' });
    expect([proved.status, locationOf(proved)]).toEqual([303, '/signin/step']);
    expect(setCookies(proved)['__Host-sid']).toBeUndefined();
    const change = (newPassword: string, repeatPassword = newPassword) =>
      browser.submit('/signin/step', { action: 'change', newPassword, repeatPassword });
    // The page does not ask for the password that the user has just entered.
    expect((await browser.get('/signin/step')).text).not.toContain('Current password');
    expect((await change(ANOTHER_PASSWORD, PASSWORD)).text).toContain('do not match');
    const refused = await change('short');
    expect(refused.status).toBe(403);
    expect(refused.text).toMatch(/<li class="unmet">At least 8 characters \(not met\)/);
    const changed = await change(ANOTHER_PASSWORD);
    expect([changed.status, locationOf(changed)]).toEqual([303, '/account/profile']);
    expect((await meOf(browser)).body.id).toBe(user.id);
  });

  test('a one-time password is called that, and one that its owner has used before is not', async () => {
    const given = await newUser(org);
    const oneTime = `${userPath(given.id)}/lifecycle/expire_password_with_temp_password`;
    const { tempPassword } = (await org.admin.post(oneTime)).body;
    const browser = openPageClient(org);
    await signInByPages(browser, loginOf(given), { password: tempPassword });
    expect((await browser.get('/signin/step')).text).toContain('Choose your own password');
    const used = await newUser(org);
    service.clock.advance(1_000);
    await signInByPages(openPageClient(org), loginOf(used));
    await org.admin.post(`${userPath(used.id)}/lifecycle/expire_password`);
    const another = openPageClient(org);
    await signInByPages(another, loginOf(used));
    expect((await another.get('/signin/step')).text).toContain('Your password has expired');
  });

  test('a password that too many guesses hold meanwhile is not changed by it', async () => {
    const user = await userIn(org, 'PASSWORD_EXPIRED');
    const browser = openPageClient(org);
    await signInByPages(browser, loginOf(user));
    for (let tries = 0; tries < 10; tries += 1) await signIn(org.anonymous, loginOf(user), WRONG);
    const form = { action: 'change', newPassword: ANOTHER_PASSWORD, repeatPassword: ANOTHER_PASSWORD };
    expect(locationOf(await browser.submit('/signin/step', form))).toBe('/signin?done=over');
    expect(setCookies(await browser.get('/'))['__Host-sid']).toBeUndefined();
  });

  test('the state token is in no page and no address', async () => {
    const user = await userIn(org, 'PASSWORD_EXPIRED');
    const browser = openPageClient(org);
    await signInByPages(browser, loginOf(user));
    const token = browser.cookies.get('__Host-state') ?? '';
    expect(token).toMatch(/^[0-9A-Za-z]{43}$/);
    expect((await browser.get('/signin/step')).text).not.toContain(token);
  });

  test('a step that is over leads to the beginning, and says so', async () => {
    const browser = openPageClient(org);
    for (const state of ['', 'x'.repeat(43), 'not a token']) {
      if (state !== '') browser.cookies.set('__Host-state', state);
      const answer = await browser.get('/signin/step');
      expect([answer.status, locationOf(answer)]).toEqual([303, '/signin?done=over']);
    }
    expect((await browser.get('/signin?done=over')).text).toContain('took too long');
  });

  test('back to the sign-in ends it', async () => {
    const browser = openPageClient(org);
    await signInByPages(browser, loginOf(await userIn(org, 'PASSWORD_EXPIRED')));
    const state = browser.cookies.get('__Host-state') ?? '';
    const cancelled = await browser.submit('/signin/step', { action: 'cancel' });
    expect([cancelled.status, locationOf(cancelled)]).toEqual([303, '/signin']);
    browser.cookies.set('__Host-state', state);
    expect(locationOf(await browser.get('/signin/step'))).toBe('/signin?done=over');
  });

  test('and to what the sign-in was for', async () => {
    const browser = openPageClient(org);
    const fromUri = '/account/profile?a=b';
    await signInByPages(browser, loginOf(await userIn(org, 'PASSWORD_EXPIRED')), { fromUri });
    const begun = locationOf(await browser.submit('/signin/step', { action: 'cancel' }));
    expect(begun).toBe(`/signin?fromURI=${encodeURIComponent(fromUri)}`);
    const named = locationOf(await browser.submit(begun, { username: loginOf(await newUser(org)) }));
    expect(locationOf(await browser.submit(named, { password: PASSWORD }))).toBe(fromUri);
  });
});
