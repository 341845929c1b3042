import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OidcApp } from '../support/authorization.ts';
import { CIBA_GRANT, newBackchannelApp, pollRequest, REQUESTS, startRequest } from '../support/backchannel.ts';
import { beforeTests } from '../support/before-tests.ts';
import { launchBrowser, lookAt, openPage, tabTo } from '../support/browser.ts';
import { good, newCustomServer } from '../support/custom-servers.ts';
import { type DeviceUser, newDeviceUser } from '../support/devices.ts';
import { useService } from '../support/use-service.ts';
import { PASSWORD } from '../support/users.ts';

/** This file tests, in a browser, the pages on which users answer backchannel requests (ADR 0039, 0046). */
const { service, org } = useService();
let browser: Browser;
const server = beforeTests(() =>
  newCustomServer(org, {
    grantTypes: [CIBA_GRANT],
    scopes: {
      'orders.read': { displayName: 'See your orders', description: 'All of them, old ones too' },
      'orders.averyveryverylongnameofascopewithoutanydisplayname.readonly': {},
    },
  }),
);

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

interface World {
  readonly app: OidcApp;
  readonly user: DeviceUser;
}

async function newWorld(label?: string): Promise<World> {
  const app = await newBackchannelApp(org);
  if (label !== undefined) {
    const { body } = await org.admin.get(`/api/v1/apps/${app.id}`);
    await good(org.admin.put(`/api/v1/apps/${app.id}`, { body: { ...body, label } }));
  }
  return { app, user: await newDeviceUser(service, org, app) };
}

const SCOPE = 'openid orders.read orders.averyveryverylongnameofascopewithoutanydisplayname.readonly';

const begin = ({ app, user }: World, message: string) =>
  startRequest(org, app, user, { scope: SCOPE, binding_message: message }, { path: `${server.oauth}/v1/bc/authorize` });

async function signedIn({ user }: World, page: Page): Promise<void> {
  const [cookie] = [...user.browser.cookies].filter(([name]) => name === '__Host-sid');
  const [name = '', value = ''] = cookie ?? [];
  await page.context().addCookies([{ name, value, url: org.baseUrl, secure: true, httpOnly: true }]);
}

type At = (name: string) => Promise<void>;

async function walk(page: Page, at: At): Promise<void> {
  const world = await newWorld('Travel and expenses of the northern subsidiary');
  await signedIn(world, page);
  await page.goto(org.baseUrl + REQUESTS);
  await at('requests-none');
  await begin(world, 'Kiosk 12, platform 3: a ticket to Aachen for 129,90 €');
  await begin(world, 'x'.repeat(100));
  await page.reload();
  await at('requests');
  await page.getByRole('button', { name: 'View the request' }).first().click();
  await at('request-long-message');
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.waitForURL(/done=denied/);
  await at('request-denied');
  await page.getByRole('button', { name: 'View the request' }).click();
  await at('request');
  await page.getByRole('link', { name: '日本語' }).click();
  await at('request-ja');
  await page.getByRole('link', { name: 'English' }).click();
  const question = page.url();
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.waitForURL(/done=allowed/);
  await at('request-allowed');
  await page.goto(question);
  await at('request-over');
}

test('every page is accessible, fits the window, loads nothing else, breaks no policy of its own', async () => {
  const { page, problems, requests } = await openPage(browser);
  const seen: string[] = [];
  await walk(page, async (name) => {
    seen.push(name);
    await lookAt(page, name);
  });
  expect(seen.length).toBe(8);
  expect(problems).toEqual([]);
  const own = [`https://${org.hostname}:`, 'data:'];
  expect(requests.filter((url) => !own.some((start) => url.startsWith(start)))).toEqual([]);
}, 120_000);

test('a request is allowed by who signs in, without script and with the keyboard alone', async () => {
  const { page, problems } = await openPage(browser, { javaScriptEnabled: false });
  const world = await newWorld();
  const request = await begin(world, 'W4SCT');
  await page.goto(org.baseUrl + REQUESTS);
  await page.getByLabel('Username').fill(world.user.login);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/account\/requests$/);
  for (const name of ['My requests', `View the request of ${world.app.label}`]) await tabTo(page, name);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/account\/requests\/confirm\?/);
  expect(await page.getByRole('main').innerText()).toContain('W4SCT');
  for (const name of ['Deny', 'Allow']) await tabTo(page, name);
  await page.keyboard.press('Enter');
  await page.waitForURL(/done=allowed/);
  expect(await page.getByRole('status').innerText()).toBe('Approved. Return to where you started.');
  expect((await pollRequest(org, world.app, request, { path: `${server.oauth}/v1/token` })).status).toBe(200);
  expect(problems).toEqual([]);
});
