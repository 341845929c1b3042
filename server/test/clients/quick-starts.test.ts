import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  type Installation,
  namesOfQuickStarts,
  openQuickStart,
  type QuickStart,
  startInstallation,
} from '../support/quick-starts.ts';
import { PASSWORD } from '../support/users.ts';
import { openWebWalk, type WebPage, type WebWalk } from '../support/web-walk.ts';
import { freePort } from './relying-party.ts';

// This file runs the quick starts that need no real browser, against an installation like one that `npm start` creates.

/** Each app starts from its sources, which takes a long time on a busy machine. */
const PATIENCE = { timeout: 120_000 };
let installation: Installation;
let password: string;
const open: { close: () => Promise<void> }[] = [];

beforeAll(async () => {
  installation = await startInstallation();
  password = installation.password;
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});
afterAll(() => installation.close());

async function openPage(name: string): Promise<QuickStart> {
  const page = await openQuickStart(name, installation.place, await freePort());
  open.push(page);
  return page;
}

function openBrowser(): WebWalk {
  const walk = openWebWalk(installation);
  open.push(walk);
  return walk;
}

/** Signs in the first administrator, who must choose a new password at their first sign-in. */
async function signIn(walk: WebWalk, page: QuickStart): Promise<WebPage> {
  const { login: username } = installation;
  const asked = await walk.submit(await walk.go(`${page.home}login`), { username });
  const arrived = await walk.submit(asked, { username, password });
  if (password !== installation.password) return arrived;
  expect(arrived.url.pathname).toBe('/signin/step');
  password = PASSWORD;
  return walk.submit(arrived, { newPassword: PASSWORD, repeatPassword: PASSWORD, action: 'change' });
}

test.each(['express', 'next'])('%s: signs a user in and out', PATIENCE, async (name) => {
  const page = await openPage(name);
  await page.serve();
  const walk = openBrowser();
  expect((await walk.go(page.home)).html).toContain('You are not signed in.');
  const arrived = await signIn(walk, page);
  expect(arrived.url.href).toBe(page.home);
  expect(page.shown).toBe('Hello, Org Administrator.');
  expect(arrived.html).toContain(page.shown);
  const left = await walk.submit(arrived, {});
  expect(left.url.href).toBe(page.home);
  expect(left.html).toContain('You are not signed in.');
  expect((await walk.go(`${page.home}login`)).url.pathname).toBe('/signin');
});

test('service app: lists the users', PATIENCE, async () => {
  const page = await openPage('service-app');
  expect((await page.run()).trim()).toBe(page.shown);
  expect(page.shown).toBe(installation.login);
});

test('API: asks for a token with the scope of the route', PATIENCE, async () => {
  const page = await openPage('api');
  await page.serve();
  expect(page.requests).toHaveLength(3);
  for (const { command, shown } of page.requests) expect(await page.ask(command)).toBe(shown);
});

test('every page is run by a test', async () => {
  expect(await namesOfQuickStarts()).toEqual(['api', 'express', 'next', 'service-app', 'single-page-app']);
});
