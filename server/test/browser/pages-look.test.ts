import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mailTo } from '../support/authn.ts';
import { axeFindings, LOOK_NAMES, LOOKS, launchBrowser, openPage, overflow, shoot } from '../support/browser.ts';
import { startTestService, type TestOrg, type TestService } from '../support/service.ts';
import { CREDENTIALS, PASSWORD, userPath } from '../support/users.ts';

let service: TestService;
let org: TestOrg;
let browser: Browser;

beforeAll(async () => {
  service = await startTestService();
  org = service.org;
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await service.close();
});

async function newApp(label: string): Promise<string> {
  const settings = { app: { requestIntegration: false, url: 'https://app.example/' } };
  const body = { name: 'bookmark', label, signOnMode: 'BOOKMARK', settings };
  return (await org.admin.post('/api/v1/apps', { body })).body.id;
}

/** Walks through every page; `at` is told of each. */
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
  await page.getByRole('button', { name: 'Send mail' }).click();
  await at('mail-sent');
  await page.goto((await mailTo(service, org, user)).url);
  await at('reset-link');
  await page.getByRole('button', { name: 'Continue' }).click();
  await at('question');
  await page.goto(`${base}/welcome/unknown`);
  await page.getByRole('button', { name: 'Continue' }).click();
  await at('link-expired');
  await org.admin.post(`${userPath(user.id)}/lifecycle/expire_password`);
  await page.goto(`${base}/signin?login_hint=${encodeURIComponent(user.profile.login)}`);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await at('expired');
  await page.getByLabel('Current password').fill(PASSWORD);
  await page.getByLabel('New password', { exact: true }).fill('short');
  await page.getByLabel('New password again').fill('short');
  await page.getByRole('button', { name: 'Change password' }).click();
  await at('expired-refused');
  await page.getByLabel('Current password').fill(PASSWORD);
  await page.getByLabel('New password', { exact: true }).fill('Battery-2-Staple');
  await page.getByLabel('New password again').fill('Battery-2-Staple');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.waitForURL(`${base}/`);
  await at('apps');
  for (const name of ['profile', 'password', 'sessions']) {
    await page.goto(`${base}/account/${name}`);
    await at(`account-${name}`);
  }
  await page.goto(`${base}/signout`);
  await at('signout');
  await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click();
  await at('signed-out');
  await page.goto(`${base}/signin?reauthenticate=perhaps`);
  await at('error');
}

describe.each(LOOK_NAMES)('%s', (look) => {
  test('every page is accessible, fits the window, loads nothing else, breaks no policy of its own', async () => {
    const { page, problems, requests } = await openPage(browser, LOOKS[look]);
    const seen: string[] = [];
    await walk(page, async (name) => {
      seen.push(name);
      await shoot(page, `${name}-${look}`);
      expect.soft(await axeFindings(page), name).toEqual([]);
      expect.soft(await overflow(page), name).toBe(0);
      expect.soft(await page.locator('h1').count(), name).toBe(1);
    });
    expect(seen.length).toBe(20);
    expect(problems).toEqual([]);
    expect(requests.filter((url) => !url.startsWith(`https://${org.hostname}:`) && !url.startsWith('data:'))).toEqual(
      [],
    );
    await page.context().close();
  }, 120_000);
});
