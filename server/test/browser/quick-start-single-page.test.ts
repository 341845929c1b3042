import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../clients/relying-party.ts';
import { launchBrowser, openPage } from '../support/browser.ts';
import { type Installation, openQuickStart, type QuickStart, startInstallation } from '../support/quick-starts.ts';
import { PASSWORD } from '../support/users.ts';

let installation: Installation;
let browser: Browser;
let app: QuickStart;

beforeAll(async () => {
  installation = await startInstallation();
  browser = await launchBrowser();
  app = await openQuickStart('single-page-app', installation.place, await freePort());
});
afterAll(async () => {
  await app.close();
  await browser.close();
  await installation.close();
});

test('single-page app: signs a user in and out', { timeout: 120_000 }, async () => {
  await app.serve();
  const { page, problems } = await openPage(browser);
  await page.goto(app.home);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Username').fill(installation.login);
  await page.keyboard.press('Enter');
  await page.getByLabel('Password', { exact: true }).fill(installation.password);
  await page.keyboard.press('Enter');
  await page.getByLabel('New password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Confirm new password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText(app.shown).waitFor();
  expect(page.url()).toBe(app.home);
  await page.reload();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText(app.shown).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are not signed in.').waitFor();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Username').waitFor();
  expect(problems).toEqual([]);
});
