import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newUser } from '../support/authn.ts';
import { launchBrowser, lookAt, openPage, tabTo } from '../support/browser.ts';
import { pngOf } from '../support/images.ts';
import type { TestOrg } from '../support/service.ts';
import { giveImage, setTheme } from '../support/themes.ts';
import { useService } from '../support/use-service.ts';
import { PASSWORD } from '../support/users.ts';

/** This file tests that pages stay readable, whatever colours an org chooses (WCAG 2.2 AA). */
const { service } = useService();
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

async function loudOrg(): Promise<TestOrg> {
  const org = await service.newOrg();
  await giveImage(org, 'logo', pngOf({ width: 320, height: 64 }, [181, 50, 26]));
  await giveImage(org, 'favicon', pngOf({ width: 32, height: 32 }, [181, 50, 26]));
  await giveImage(org, 'background-image', pngOf({ width: 640, height: 480 }, [128, 128, 128]));
  return org;
}

async function walk(page: Page, org: TestOrg, name: string): Promise<void> {
  const user = await newUser(org);
  const at = (place: string) => lookAt(page, `theme-${name}-${place}`);
  await page.goto(`${org.baseUrl}/signin`);
  await at('sign-in');
  await page.getByLabel('Username').fill(user.profile.login);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${org.baseUrl}/`);
  await at('start');
  await page.goto(`${org.baseUrl}/account/password`);
  await at('account');
  await page.goto(`${org.baseUrl}/nothing`);
  await at('refusal');
  await page.context().clearCookies();
}

const DASHBOARDS = ['FULL_THEME', 'WHITE_LOGO_BACKGROUND', 'LOGO_ON_FULL_WHITE_BACKGROUND'] as const;
const COLOURS = [
  ['yellow on grey', '#ffee00', '#777777'],
  ['grey on black', '#767676', '#000000'],
  ['red on white', '#d40000', '#ffffff'],
] as const;

test.each(COLOURS)(
  '%s: every page can be read, in light and in dark',
  async (name, primaryColorHex, secondaryColorHex) => {
    const org = await loudOrg();
    const { page, problems, requests } = await openPage(browser);
    const [dashboard] = DASHBOARDS.slice(COLOURS.findIndex(([one]) => one === name));
    const colours = { primaryColorHex, secondaryColorHex, primaryColorContrastHex: '#808080' };
    await setTheme(org, { ...colours, endUserDashboardTouchPointVariant: dashboard });
    await walk(page, org, name.replaceAll(' ', '-'));
    expect(problems).toEqual([]);
    expect(requests.filter((url) => !url.startsWith(`${org.baseUrl}/`) && !url.startsWith('data:'))).toEqual([]);
  },
  120_000,
);

test('an image behind the pages leaves every text readable, and is loaded from the org alone', async () => {
  const org = await loudOrg();
  const behind = { signInPageTouchPointVariant: 'BACKGROUND_IMAGE', errorPageTouchPointVariant: 'BACKGROUND_IMAGE' };
  await setTheme(org, behind);
  const { page, problems, requests } = await openPage(browser);
  await walk(page, org, 'image');
  expect(problems).toEqual([]);
  const images = requests.filter((url) => url.includes('/fs/bco/7/'));
  expect(new Set(images).size).toBeGreaterThanOrEqual(2);
  expect(images.every((url) => url.startsWith(`${org.baseUrl}/fs/bco/7/`))).toBe(true);
});

test('an org has its own colour, logo and background, and the focus is seen on all of them', async () => {
  const org = await loudOrg();
  await setTheme(org, { primaryColorHex: '#ffcc00' });
  const { page, problems } = await openPage(browser);
  await page.goto(`${org.baseUrl}/signin`);
  const styles = await page.evaluate<string[]>(`(() => {
    const s = getComputedStyle(document.querySelector('button'));
    return [s.backgroundColor, s.color, getComputedStyle(document.body).backgroundColor];
  })()`);
  expect(styles).toEqual(['rgb(255, 204, 0)', 'rgb(0, 0, 0)', 'rgb(181, 50, 26)']);
  expect(await page.evaluate(`document.querySelector('.brand img').naturalWidth`)).toBe(320);
  await tabTo(page, 'Deutsch');
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineColor')).toBe('rgb(255, 255, 255)');
  expect(problems).toEqual([]);
});
