import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requestOf } from '../support/authorization.ts';
import { launchBrowser, lookAt, openPage, tabTo } from '../support/browser.ts';
import { type ConsentWorld, newConsentWorld } from '../support/consents.ts';
import { good } from '../support/custom-servers.ts';
import { DEVICE_GRANT, poll, startDevice } from '../support/devices.ts';
import { useService } from '../support/use-service.ts';
import { PASSWORD } from '../support/users.ts';

/**
 * This file tests, in a browser, the pages for authorization, consent, devices and sign-out (ADR 0036, 0038 to
 * 0041).
 */
const { service, org } = useService();
let browser: Browser;
/** The URL of a page on another origin that stands in for the app. */
let callback: string;

beforeAll(async () => {
  callback = `${(await service.newOrg()).baseUrl}/signin/mail-sent`;
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const SCOPES = {
  'orders.read': { consent: 'REQUIRED', displayName: 'See your orders', description: 'All of them, old ones too' },
  'orders.write': {
    consent: 'REQUIRED',
    optional: true,
    displayName: 'Order in your name',
    description: 'At most for 100 euros a month, and never anything that cannot be given back',
  },
  'orders.averyveryverylongnameofascopewithoutanydisplayname.readonly': { consent: 'REQUIRED' },
} as const;
const SCOPE = Object.keys(SCOPES).join(' ');

const newWorld = (label?: string): Promise<ConsentWorld> =>
  newConsentWorld(service, org, {
    settings: {
      grant_types: ['authorization_code', 'refresh_token', DEVICE_GRANT],
      redirect_uris: [callback, 'https://app.example/callback'],
      post_logout_redirect_uris: [callback],
      tos_uri: 'https://app.example/terms',
      policy_uri: 'https://app.example/privacy',
    },
    scopes: SCOPES,
  }).then(async (world) => {
    if (label === undefined) return world;
    const { body: app } = await org.admin.get(`/api/v1/apps/${world.app.id}`);
    await good(org.admin.put(`/api/v1/apps/${world.app.id}`, { body: { ...app, label } }));
    return { ...world, app: { ...world.app, label } };
  });

function requestTo({ app, server }: ConsentWorld, changes: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(requestOf(app, { scope: SCOPE, redirect_uri: callback, ...changes })).toString();
  return `${org.baseUrl}${server.oauth}/v1/authorize?${query}`;
}

async function signedIn({ browser: { cookie } }: ConsentWorld, page: Page): Promise<void> {
  const [name = '', value = ''] = cookie.split('=');
  await page.context().addCookies([{ name, value, url: org.baseUrl, secure: true, httpOnly: true }]);
}

async function signIn(page: Page, { browser: { login } }: ConsentWorld): Promise<void> {
  await page.getByLabel('Username').fill(login);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function answerAt(page: Page): Promise<Record<string, string>> {
  await page.waitForURL((url) => url.href.startsWith(callback));
  return Object.fromEntries(new URL(page.url()).searchParams);
}

const scopesOf = async ({ browser: { userId } }: ConsentWorld): Promise<string[]> => {
  const grants: { _embedded: { scope: { name: string } } }[] = await good(
    org.admin.get(`/api/v1/users/${userId}/grants?expand=scope`),
  );
  return grants.map(({ _embedded }) => _embedded.scope.name).toSorted();
};

type At = (name: string) => Promise<void>;

const enterCode = async (page: Page, code: string): Promise<void> => {
  await page.getByLabel('Code', { exact: true }).fill(code);
  await page.getByRole('button', { name: 'Next' }).click();
};

async function walkDevice(page: Page, { app, server }: ConsentWorld, at: At): Promise<void> {
  const begin = () =>
    startDevice(org, app, { scope: `openid ${SCOPE}` }, { path: `${server.oauth}/v1/device/authorize` });
  const { userCode } = await begin();
  await page.goto(`${org.baseUrl}/activate`);
  await enterCode(page, 'BCDFGHJK');
  await at('device-wrong');
  await page.goto(`${org.baseUrl}/activate?user_code=${userCode}`);
  await at('device');
  await enterCode(page, userCode);
  await at('device-confirm');
  await page.getByRole('link', { name: '日本語' }).click();
  await at('device-confirm-ja');
  await page.getByRole('link', { name: 'English' }).click();
  const confirm = page.url();
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.waitForURL(/done=allowed/);
  await at('device-allowed');
  await page.goto(confirm);
  await at('device-over');
}

async function walk(page: Page, at: At): Promise<void> {
  const world = await newWorld('Travel and expenses of the northern subsidiary');
  await page.goto(requestTo(world, { redirect_uri: 'https://evil.example/' }));
  await at('authorize-refused');
  await page.goto(`${org.baseUrl}/oauth2/v1/authorize/resume?request=x`);
  await at('authorize-over');
  await signedIn(world, page);
  await page.goto(`${org.baseUrl}/consent?request=x`);
  await at('consent-over');
  await page.goto(requestTo(world));
  await at('consent');
  await page.getByRole('link', { name: '日本語' }).click();
  await at('consent-ja');
  await page.getByRole('link', { name: 'English' }).click();
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  await answerAt(page);
  await walkDevice(page, world, at);
  await page.goto(`${org.baseUrl}/account/consents`);
  await at('account-consents');
  await page.getByRole('button', { name: 'Remove access' }).click();
  await page.waitForURL(/done=takenBack/);
  await at('account-consents-none');
  await page.goto(`${org.baseUrl}/oauth2/v1/logout?id_token_hint=x`);
  await at('logout-refused');
  await page.goto(`${org.baseUrl}/oauth2/v1/logout`);
  await at('logout-ask');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  await at('logout-done');
}

test('every page is accessible, fits the window, loads nothing else, breaks no policy of its own', async () => {
  const { page, problems, requests } = await openPage(browser);
  const seen: string[] = [];
  await walk(page, async (name) => {
    seen.push(name);
    await lookAt(page, name);
  });
  expect(seen.length).toBe(16);
  expect(problems).toEqual([]);
  const own = [`https://${org.hostname}:`, 'data:', callback];
  expect(requests.filter((url) => !own.some((start) => url.startsWith(start)))).toEqual([]);
}, 120_000);

test('who signs in is asked, leaves one thing out without script, and comes to the application', async () => {
  const { page, problems } = await openPage(browser, { javaScriptEnabled: false });
  const world = await newWorld();
  await page.goto(requestTo(world));
  await signIn(page, world);
  await page.waitForURL(/\/consent\?/);
  await page.getByRole('checkbox', { name: 'Order in your name' }).uncheck();
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  expect(await answerAt(page)).toEqual({ code: expect.any(String), state: 'xyz', iss: world.server.issuer });
  expect(await scopesOf(world)).toEqual([Object.keys(SCOPES)[2], 'orders.read']);
  expect(problems).toEqual([]);
});

test('a device is connected by who signs in, without script and with the keyboard alone', async () => {
  const { page, problems } = await openPage(browser, { javaScriptEnabled: false });
  const world = await newWorld();
  const device = await startDevice(org, world.app);
  await page.goto(`${org.baseUrl}/activate?user_code=${device.userCode}`);
  await signIn(page, world);
  await page.waitForURL(/\/activate\?user_code=/);
  await tabTo(page, 'Next');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/activate\/confirm\?/);
  for (const name of ['Deny', 'Allow']) await tabTo(page, name);
  await page.keyboard.press('Enter');
  await page.waitForURL(/done=allowed/);
  expect(await page.getByRole('status').innerText()).toBe('Continue on your device. You can close this page.');
  expect((await poll(org, world.app, device)).status).toBe(200);
  expect(problems).toEqual([]);
});

test('who declines comes to the application without a code, and nothing is kept', async () => {
  const { page, problems } = await openPage(browser);
  const world = await newWorld();
  await signedIn(world, page);
  await page.goto(requestTo(world));
  await page.getByRole('button', { name: 'Deny' }).click();
  const answer = await answerAt(page);
  expect(answer).toMatchObject({ error: 'access_denied', state: 'xyz' });
  expect(answer['code']).toBeUndefined();
  expect(await scopesOf(world)).toEqual([]);
  expect(problems).toEqual([]);
});

test('consent is given and taken back with the keyboard alone, and the focus is seen', async () => {
  const { page } = await openPage(browser);
  const world = await newWorld();
  await signedIn(world, page);
  await page.goto(requestTo(world));
  await tabTo(page, 'Order in your name Optional');
  await page.keyboard.press('Space');
  for (const name of ['Terms of service', 'Privacy policy', 'Deny', 'Allow']) await tabTo(page, name);
  await page.keyboard.press('Enter');
  await answerAt(page);
  expect(await scopesOf(world)).not.toContain('orders.write');
  await page.goto(`${org.baseUrl}/account/consents`);
  for (const name of ['My consents', `Remove access for ${world.app.label}`]) await tabTo(page, name);
  await page.keyboard.press('Enter');
  await page.waitForURL(/done=takenBack/);
  expect(await page.getByRole('status').innerText()).toBe('Access removed.');
  expect(await scopesOf(world)).toEqual([]);
});

test('signing out is confirmed with the keyboard, and leads on to the application', async () => {
  const { page, problems } = await openPage(browser);
  const world = await newWorld();
  await signedIn(world, page);
  const query = { client_id: world.app.id, post_logout_redirect_uri: callback, state: 'st' };
  await page.goto(`${org.baseUrl}/oauth2/v1/logout?${new URLSearchParams(query).toString()}`);
  expect(await page.getByRole('main').innerText()).toContain(world.browser.login);
  await tabTo(page, 'Sign out');
  await page.keyboard.press('Enter');
  expect(await answerAt(page)).toEqual({ state: 'st' });
  await page.goto(`${org.baseUrl}/account/consents`);
  expect(new URL(page.url()).pathname).toBe('/signin');
  expect(problems).toEqual([]);
});

test('a form of an application’s page is sent again by ours, which asks', async () => {
  const { page, problems } = await openPage(browser);
  const world = await newWorld();
  await signedIn(world, page);
  const body = `<form method="post" action="${org.baseUrl}/oauth2/v1/logout"><button>go</button></form>`;
  await page.route('https://app.example/**', (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.goto('https://app.example/');
  await page.getByRole('button', { name: 'go' }).click();
  await page.getByRole('heading', { name: 'Sign out?' }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  expect(problems).toEqual([]);
});

describe('answers that are pages', () => {
  test('form_post brings the application its code, and the origin that it came from', async () => {
    const { page, problems } = await openPage(browser);
    const world = await newWorld();
    await signedIn(world, page);
    const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url() === callback);
    await page.goto(requestTo(world, { response_mode: 'form_post', scope: 'openid' }));
    const request = await sent;
    expect(new URLSearchParams(request.postData() ?? '').get('code')).toMatch(/^[\w-]+$/);
    const { origin, referer } = await request.allHeaders();
    expect([origin, referer]).toEqual([org.baseUrl, `${org.baseUrl}/`]);
    expect(problems).toEqual([]);
  });

  test('a message reaches the window that opened it', async () => {
    const { page } = await openPage(browser);
    const world = await newWorld();
    await signedIn(world, page);
    const redirectUri = 'https://app.example/callback';
    const mode = { response_mode: 'svc_post_message', scope: 'openid', redirect_uri: redirectUri };
    const body = `<button>open</button><p></p><script>
      addEventListener('message', ({ data, origin }) => {
        document.querySelector('p').textContent = origin + ' ' + data.state + ' ' + typeof data.code;
      });
      document.querySelector('button').onclick = () => open(${JSON.stringify(requestTo(world, mode))});
    </script>`;
    await page.route('https://app.example/**', (route) => route.fulfill({ contentType: 'text/html', body }));
    await page.goto('https://app.example/');
    await page.getByRole('button', { name: 'open' }).click();
    await expect.poll(() => page.locator('p').innerText()).toBe(`${org.baseUrl} xyz string`);
  });
});
