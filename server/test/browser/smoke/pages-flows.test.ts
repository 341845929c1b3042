import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mailTo, newUser, WRONG } from '../../support/authn.ts';
import { AUTHORIZE, assign, newOidcApp, requestOf } from '../../support/authorization.ts';
import { launchBrowser, openPage, overflow, tabTo } from '../../support/browser.ts';
import type { TestOrg } from '../../support/service.ts';
import { useService } from '../../support/use-service.ts';
import { ANOTHER_PASSWORD, lockOut, PASSWORD, userIn } from '../../support/users.ts';

const { service } = useService({ isShared: false });
let org: TestOrg;
let browser: Browser;

beforeAll(async () => {
  // Emails of the default org contain links to localhost, not to the host that the browser uses.
  org = await service.newOrg();
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const at = (path: string): string => org.baseUrl + path;
const headingOf = (page: Page): Promise<string> => page.getByRole('heading', { level: 1 }).innerText();

async function signIn(page: Page, username: string, password: string, path = '/signin'): Promise<void> {
  await page.goto(at(path));
  await page.getByLabel('Username').fill(username);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('signing in without script, where it was wanted, and signing out again', async () => {
  const { page, problems } = await openPage(browser, { javaScriptEnabled: false });
  const user = await newUser(org);
  await signIn(page, user.profile.login, PASSWORD, '/signin?fromURI=%2Faccount%2Fprofile');
  await page.waitForURL(at('/account/profile'));
  expect(await page.getByRole('definition').allInnerTexts()).toContain(user.profile.login);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(at('/signout'));
  expect(await headingOf(page)).toBe('You are signed out');
  await page.goBack();
  await page.goto(at('/account/profile'));
  expect(new URL(page.url()).pathname).toBe('/signin');
  expect(problems).toEqual([]);
});

test('a wrong password is told, read out, and can be mended at once', async () => {
  const { page, problems } = await openPage(browser);
  const user = await newUser(org);
  await signIn(page, user.profile.login, WRONG);
  expect(await page.getByRole('alert').innerText()).toContain('could not be signed in');
  expect(await page.getByLabel('Password').getAttribute('aria-invalid')).toBe('true');
  expect(await page.evaluate('document.activeElement.id')).toBe('password');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(at('/'));
  expect(await headingOf(page)).toBe('Hello, Ada');
  expect(problems).toEqual([]);
});

test('who is locked out unlocks by mail and signs in', async () => {
  const { page } = await openPage(browser);
  const user = await org.createUser({ credentials: { password: { value: PASSWORD } } });
  await lockOut(org.admin, user.id);
  await signIn(page, user.profile.login, PASSWORD);
  expect(await page.getByRole('alert').innerText()).toContain('could not be signed in');
  await page.getByRole('link', { name: 'Unlock your account' }).click();
  await page.getByLabel('Username').fill(user.profile.login);
  await page.getByRole('button', { name: 'Send email' }).click();
  await page.waitForURL(at('/signin/mail-sent'));
  await page.goto((await mailTo(service, org, user)).url);
  await page.getByRole('button', { name: 'Continue' }).click();
  expect(await page.getByRole('status').innerText()).toContain('Your account is unlocked');
  await signIn(page, user.profile.login, PASSWORD);
  await page.waitForURL(at('/'));
});

test('a new user activates by mail; the token is in no request behind the link but the one that uses it', async () => {
  const { page, problems } = await openPage(browser);
  const referers: string[] = [];
  page.on('request', (request) => referers.push(request.headers()['referer'] ?? ''));
  const user = await userIn(org, 'PROVISIONED');
  const { token, url } = await mailTo(service, org, user);
  await page.goto(url);
  expect(await headingOf(page)).toBe('Welcome');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL(at('/signin/step'));
  await page.getByLabel('New password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Confirm new password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Save password' }).click();
  await page.waitForURL(at('/'));
  expect(referers.filter((referer) => referer.includes(token))).toEqual([]);
  expect(problems).toEqual([]);
});

test('a password is reset by mail', async () => {
  const { page } = await openPage(browser);
  const user = await org.createUser({ credentials: { password: { value: PASSWORD } } });
  await page.goto(at('/signin'));
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await page.getByLabel('Username').fill(user.profile.login);
  await page.getByRole('button', { name: 'Send email' }).click();
  await page.goto((await mailTo(service, org, user)).url);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('New password', { exact: true }).fill(ANOTHER_PASSWORD);
  await page.getByLabel('Confirm new password').fill(ANOTHER_PASSWORD);
  await page.getByRole('button', { name: 'Save password' }).click();
  await page.waitForURL(at('/'));
  await page.context().clearCookies();
  await signIn(page, user.profile.login, ANOTHER_PASSWORD);
  await page.waitForURL(at('/'));
});

test('everything can be done with the keyboard alone, and the focus is seen', async () => {
  const { page } = await openPage(browser);
  const user = await newUser(org);
  await page.goto(at('/signin'));
  await tabTo(page, 'Username');
  await page.keyboard.type(user.profile.login);
  await page.keyboard.press('Enter');
  await page.waitForURL(/step=password/);
  await tabTo(page, 'Password');
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForURL(at('/'));
  await tabTo(page, 'Skip to content');
  await page.keyboard.press('Enter');
  expect(await page.evaluate('document.activeElement.id')).toBe('content');
  await page.goto(at('/'));
  for (const name of ['Skip to content', 'Sign out', 'My apps', 'My password']) await tabTo(page, name);
  await page.keyboard.press('Enter');
  await page.waitForURL(at('/account/password'));
  for (const name of ['Current password', 'New password', 'Confirm new password', 'Change password', 'Deutsch']) {
    await tabTo(page, name);
  }
  await tabTo(page, 'Sign out');
  await page.keyboard.press('Enter');
  await page.waitForURL(at('/signout'));
});

test('text of twice the size neither overlaps nor leaves the window', async () => {
  const { page } = await openPage(browser, { viewport: { width: 1_024, height: 768 } });
  const user = await newUser(org);
  await signIn(page, user.profile.login, PASSWORD);
  for (const path of [
    '/',
    '/account/profile',
    '/account/password',
    '/account/sessions',
    '/signout',
    '/signin/unlock',
  ]) {
    await page.goto(at(path));
    await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
    expect([path, await overflow(page)]).toEqual([path, 0]);
  }
});

test('light and dark are two looks', async () => {
  const colours: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await openPage(browser, { colorScheme });
    await page.goto(at('/signin'));
    colours.push(await page.evaluate<string>('getComputedStyle(document.body).backgroundColor'));
  }
  expect(colours).toEqual(['rgb(243, 245, 248)', 'rgb(17, 21, 27)']);
});

test('a page of another site can neither frame nor send our forms', async () => {
  const { page } = await openPage(browser);
  const user = await newUser(org);
  await signIn(page, user.profile.login, PASSWORD);
  await page.waitForURL(at('/'));
  await page.route('https://evil.example/**', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<form method="post" action="${at('/signout')}"><input name="formToken" value="x"><button>go</button></form>
        <iframe src="${at('/signin?reauthenticate=true')}"></iframe>`,
    }),
  );
  await page.goto('https://evil.example/');
  // Chromium shows this error page instead of a page that must not be framed.
  await expect.poll(() => page.frames().map((frame) => frame.url())).toContain('chrome-error://chromewebdata/');
  await page.getByRole('button', { name: 'go' }).click();
  await page.waitForURL(at('/signout'));
  expect(await page.getByRole('alert').innerText()).toContain('expired');
  await page.goto(at('/account/profile'));
  expect(await headingOf(page)).toBe('My profile');
});

test('a sign-in leads on to an application elsewhere, by a redirect of the org', async () => {
  const { page, problems } = await openPage(browser);
  const [user, elsewhere] = [await newUser(org), await service.newOrg()];
  const redirectUri = `${elsewhere.baseUrl}/signin/mail-sent`;
  const app = await newOidcApp(org, { settings: { redirect_uris: [redirectUri] } });
  await assign(org, app, user.id);
  const query = new URLSearchParams(requestOf(app, { redirect_uri: redirectUri })).toString();
  const fromUri = `${AUTHORIZE}?${query}`;
  await signIn(page, user.profile.login, PASSWORD, `/signin?fromURI=${encodeURIComponent(fromUri)}`);
  await page.waitForURL((url) => url.href.startsWith(`${redirectUri}?code=`));
  expect(problems).toEqual([]);
});
