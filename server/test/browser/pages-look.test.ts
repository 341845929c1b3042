import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { masterKeyOf } from '../../src/platform/crypto/index.ts';
import { mailsPageUrl } from '../../src/sign-in/pages/mails-page.ts';
import { mailTo } from '../support/authn.ts';
import { axeFindings, launchBrowser, lookAt, openPage, overflow, shoot } from '../support/browser.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { CREDENTIALS, PASSWORD, userPath } from '../support/users.ts';

const { service } = useService({ isShared: false });
let org: TestOrg;
let browser: Browser;

beforeAll(async () => {
  // Emails of the default org contain links to localhost, not to the host that the browser uses.
  org = await service.newOrg();
  browser = await launchBrowser();
});
afterAll(() => browser.close());

async function newApp(label: string): Promise<string> {
  const settings = { app: { requestIntegration: false, url: 'https://app.example/' } };
  const body = { name: 'bookmark', label, signOnMode: 'BOOKMARK', settings };
  return (await org.admin.post('/api/v1/apps', { body })).body.id;
}

async function signIn(page: Page, login: string): Promise<void> {
  await page.goto(`${org.baseUrl}/signin?login_hint=${encodeURIComponent(login)}`);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function walkProfile(page: Page, userId: string, at: (name: string) => Promise<void>): Promise<void> {
  const save = async (label: string, value: string) => {
    await page.getByLabel(label, { exact: true }).fill(value);
    await page.getByRole('button', { name: 'Save' }).click();
  };
  await page.goto(`${org.baseUrl}/account/profile`);
  await at('account-profile');
  await save('Mobile phone', '+41 44 668 18 00');
  await page.waitForURL(/done=saved/);
  await at('account-profile-saved');
  await page.getByLabel('Current password').fill(PASSWORD);
  await save('Secondary email', 'nonsense');
  await at('account-profile-refused');
  await page.goto(`${org.baseUrl}/account/profile`);
  await org.admin.post(userPath(userId), { body: { profile: { mobilePhone: '+41 44 668 18 11', title: 'Countess' } } });
  await save('Mobile phone', '+41 44 668 18 22');
  await at('account-profile-stale');
}

async function walk(page: Page, at: (name: string) => Promise<void>): Promise<void> {
  const user = await org.createUser({ credentials: CREDENTIALS });
  for (const label of ['Wiki', 'Travel and expenses of the northern subsidiary', 'Mail']) {
    await org.admin.post(`/api/v1/apps/${await newApp(label)}/users`, { body: { id: user.id } });
  }
  const base = org.baseUrl;
  await page.goto(`${base}/`);
  await at('start');
  await page.goto(`${base}/signin`);
  await at('sign-in');
  await page.getByLabel('Username').fill(user.profile.login);
  await page.getByRole('button', { name: 'Next' }).click();
  await at('password');
  await page.getByLabel('Password').fill('Wrong-0-Password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await at('password-wrong');
  await page.goto(`${base}/signin?done=locked`);
  await at('locked');
  await page.goto(`${base}/signin/unlock`);
  await at('unlock');
  await page.goto(`${base}/signin/forgot-password`);
  await at('forgot');
  await page.getByLabel('Username').fill(user.profile.login);
  await page.getByRole('button', { name: 'Send email' }).click();
  await at('mail-sent');
  await page.goto((await mailTo(service, org, user)).url);
  await at('reset-link');
  await page.getByRole('button', { name: 'Continue' }).click();
  await at('question');
  await page.goto(`${base}/welcome/unknown`);
  await page.getByRole('button', { name: 'Continue' }).click();
  await at('link-expired');
  await org.admin.post(`${userPath(user.id)}/lifecycle/expire_password`);
  await signIn(page, user.profile.login);
  await at('expired');
  await page.getByLabel('New password', { exact: true }).fill('short');
  await page.getByLabel('Confirm new password').fill('short');
  await page.getByRole('button', { name: 'Change password' }).click();
  await at('expired-refused');
  await page.getByLabel('New password', { exact: true }).fill('Battery-2-Staple');
  await page.getByLabel('Confirm new password').fill('Battery-2-Staple');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.waitForURL(`${base}/`);
  await at('apps');
  await walkProfile(page, user.id, at);
  for (const name of ['password', 'sessions']) {
    await page.goto(`${base}/account/${name}`);
    await at(`account-${name}`);
  }
  await page.goto(`${base}/signout`);
  await at('signout');
  await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click();
  await at('signed-out');
  await page.goto(`${base}/signin?reauthenticate=perhaps`);
  await at('error');
  await page.goto(`${base}/nothing`);
  await at('not-found');
  await page.goto(mailsPageUrl(base, masterKeyOf(Buffer.alloc(32, 7))));
  await page.getByText('Text', { exact: true }).first().click();
  await at('mails');
}

test('every page is accessible, fits the window, loads nothing else, breaks no policy of its own', async () => {
  const { page, problems, requests } = await openPage(browser);
  const seen: string[] = [];
  await walk(page, async (name) => {
    seen.push(name);
    await lookAt(page, name);
  });
  expect(seen.length).toBe(25);
  expect(problems).toEqual([]);
  expect(requests.filter((url) => !url.startsWith(`https://${org.hostname}:`) && !url.startsWith('data:'))).toEqual([]);
}, 120_000);

test('every language fits a narrow window, and is told to whoever reads it out', async () => {
  const { page, problems } = await openPage(browser, { viewport: { width: 320, height: 640 } });
  const user = await org.createUser({ credentials: CREDENTIALS });
  await signIn(page, user.profile.login);
  await page.waitForURL(`${org.baseUrl}/`);
  const own = ['profile', 'password', 'sessions', 'consents'].map((name) => `/account/${name}`);
  const pages = ['/signin?reauthenticate=true', '/signin/forgot-password', '/signout', '/nothing', '/', ...own];
  for (const language of ['de', 'fr', 'es', 'ja']) {
    await page.goto(`${org.baseUrl}/signin/mail-sent?ui_locales=${language}`);
    for (const path of pages) {
      await page.goto(org.baseUrl + path);
      expect.soft([path, await page.locator('html').getAttribute('lang')]).toEqual([path, language]);
      expect.soft([language, path, await overflow(page)]).toEqual([language, path, 0]);
      await shoot(page, `${language}${path.replaceAll(/\W+/g, '-')}`);
    }
    expect.soft([language, await axeFindings(page)]).toEqual([language, []]);
  }
  expect(problems).toEqual([]);
});
