import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AUTHORIZE, requestOf } from '../support/authorization.ts';
import { launchBrowser, openPage } from '../support/browser.ts';
import { type ConsentWorld, newConsentWorld } from '../support/consents.ts';
import { useService } from '../support/use-service.ts';
import { PASSWORD } from '../support/users.ts';

/** This file tests how browsers treat redirects, forms and cookies on the way to an app (ADR 0036, 0038). */
const { service, org } = useService();
let browser: Browser;
/** A server that stands in for the app. */
let application: Server;
let callback: string;
let home: string;

beforeAll(async () => {
  home = `${(await service.newOrg()).baseUrl}/signin/mail-sent`;
  application = createServer(({ url = '' }, response) => {
    const query = url.replace(/^[^?]*/, '');
    response.writeHead(302, { location: home + query }).end();
  });
  await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve));
  callback = `http://127.0.0.1:${(application.address() as AddressInfo).port}/callback`;
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  application.close();
});

const newWorld = (): Promise<ConsentWorld> =>
  newConsentWorld(service, org, {
    settings: { redirect_uris: [callback, 'https://app.example/callback'] },
    scopes: { 'orders.read': { consent: 'REQUIRED' } },
  });

const addressOf = ({ app, server }: ConsentWorld, changes: Readonly<Record<string, string>> = {}): string => {
  const query = new URLSearchParams(requestOf(app, { scope: 'openid', redirect_uri: callback, ...changes }));
  return `${org.baseUrl}${server.oauth}/v1/authorize?${query.toString()}`;
};

async function signedIn({ browser: { cookie } }: ConsentWorld, page: Page): Promise<void> {
  const [name = '', value = ''] = cookie.split('=');
  await page.context().addCookies([{ name, value, url: org.baseUrl, secure: true, httpOnly: true, sameSite: 'Lax' }]);
}

async function signIn(page: Page, { browser: { login } }: ConsentWorld): Promise<void> {
  await page.getByLabel('Username').fill(login);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function answerAt(page: Page): Promise<Record<string, string>> {
  await page.waitForURL((url) => url.href.startsWith(home));
  return Object.fromEntries(new URL(page.url()).searchParams);
}

test('an application leads on to another origin, behind consent as behind signing in', async () => {
  const { page, problems } = await openPage(browser);
  const world = await newWorld();
  await page.goto(addressOf(world, { scope: 'openid orders.read' }));
  await signIn(page, world);
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  expect(await answerAt(page)).toMatchObject({ code: expect.any(String), state: 'xyz' });
  await page.goto(addressOf(world, { prompt: 'login' }));
  await signIn(page, world);
  expect(await answerAt(page)).toMatchObject({ code: expect.any(String), state: 'xyz' });
  expect(problems).toEqual([]);
});

test('a form of an application’s page finds who is signed in', async () => {
  const { page, problems } = await openPage(browser);
  const world = await newWorld();
  await signedIn(world, page);
  const fields = Object.entries(requestOf(world.app, { prompt: 'none', redirect_uri: callback }))
    .map(([name, value]) => `<input name="${name}" value="${value}">`)
    .join('');
  const body = `<form method="post" action="${org.baseUrl}${AUTHORIZE}">${fields}<button>go</button></form>`;
  await page.route('https://app.example/**', (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.goto('https://app.example/');
  await page.getByRole('button', { name: 'go' }).click();
  expect(await answerAt(page)).toMatchObject({ code: expect.any(String), state: 'xyz' });
  expect(problems).toEqual([]);
});

test('tabs that are opened at once all come to their application', async () => {
  const { page, problems } = await openPage(browser);
  const world = await newWorld();
  const tabs = [page, await page.context().newPage(), await page.context().newPage()];
  await Promise.all(tabs.map((tab, index) => tab.goto(addressOf(world, { state: `tab${index}` }))));
  await signIn(page, world);
  expect(await answerAt(page)).toMatchObject({ code: expect.any(String), state: 'tab0' });
  for (const [index, tab] of [...tabs.entries()].slice(1)) {
    // The user has signed in by now, so another tab that reloads the sign-in page continues to the app at once.
    await tab.reload();
    expect(await answerAt(tab)).toMatchObject({ code: expect.any(String), state: `tab${index}` });
  }
  expect(problems).toEqual([]);
});
