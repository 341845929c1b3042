import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, openPage } from '../../support/browser.ts';
import { useService } from '../../support/use-service.ts';

const { service } = useService({ isShared: false });
let browser: Browser;
let page: Page;
let problems: string[];

beforeAll(async () => {
  browser = await launchBrowser();
  ({ page, problems } = await openPage(browser));
});

afterAll(() => browser.close());

test('the start page shows the org in a real browser, without a complaint from it', async () => {
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  const baseUrl = `https://localhost:${service.port}`;
  await page.goto(`${baseUrl}/`);
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Test');
  // Without the style sheet, the background would be transparent.
  const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
  expect(background).not.toBe('rgba(0, 0, 0, 0)');
  expect(requests.every((url) => url.startsWith(`${baseUrl}/`) || url.startsWith('data:'))).toBe(true);
  expect(problems).toEqual([]);
});

test('it leads to the sign-in', async () => {
  await page.goto(`https://localhost:${service.port}/`);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.waitForURL('**/signin');
  expect(await page.getByLabel('Username').isVisible()).toBe(true);
});

test('it fits a telephone: nothing has to be scrolled sideways', async () => {
  await page.setViewportSize({ width: 360, height: 720 });
  await page.goto(`https://localhost:${service.port}/`);
  const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  expect(overflow).toBe(0);
});
