import type { Browser, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeFindings, launchBrowser, openPage, shoot } from '../support/browser.ts';
import { useService } from '../support/use-service.ts';

const { service } = useService({ isShared: false });
let browser: Browser;
let page: Page;
let problems: string[];
const requests: Request[] = [];
let origin: string;

const COOKIES = ['Lax', 'None'] as const;

beforeAll(async () => {
  browser = await launchBrowser();
  ({ page, problems } = await openPage(browser));
  origin = `https://localhost:${service.port}`;
  page.on('request', (request) => requests.push(request));
  await page.context().addCookies(
    COOKIES.map((sameSite) => ({
      name: `__Host-${sameSite}`,
      value: 'secret',
      url: origin,
      secure: true,
      httpOnly: sameSite === 'Lax',
      sameSite,
    })),
  );
  await page.goto(`${origin}/api/reference`);
  await page.locator('.opblock-tag').first().waitFor();
});

afterAll(() => browser.close());

const open = async (tag: string, operationId: string): Promise<void> => {
  await page.locator(`#operations-tag-${tag}`).click();
  const operation = page.locator(`#operations-${tag}-${operationId}`);
  await operation.locator('.opblock-summary-control').click();
  await operation.locator('.responses-table').first().waitFor();
};

test('the reference shows operations, without a complaint of the browser or of axe', async () => {
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain('Gatehouse API');
  expect(await axeFindings(page)).toEqual([]);
  await shoot(page, 'reference');
  await open('User', 'createUser');
  await open('OrgAS', 'token');
  await open('SystemLog', 'listLogEvents');
  expect(await page.locator('#operations-User-createUser').innerText()).toContain('ada@example.com');
  expect(await axeFindings(page)).toEqual([]);
  await shoot(page, 'reference-operations');
  expect(problems).toEqual([]);
}, 120_000);

test('it asks the org for its own files and the document, and no request of it carries a cookie', async () => {
  const [navigation, ...others] = requests.filter((request) => !request.url().startsWith('data:'));
  expect(navigation?.url()).toBe(`${origin}/api/reference`);
  expect(new Set(others.map((request) => request.url()))).toEqual(
    new Set(
      ['/api/reference/viewer.css', '/api/reference/viewer.js', '/api/openapi.json'].map((path) => origin + path),
    ),
  );
  for (const request of others) expect(await request.allHeaders()).not.toHaveProperty('cookie');
});

/** Runs a script with the rights of the viewer's own script. Returns its result or the name of its error. */
const attempt = (script: string): Promise<unknown> =>
  page.evaluate(`(async () => { try { return await (${script}); } catch (error) { return error.name; } })()`);

test('its script has no session: neither cookies nor storage, nor an answer of the API', async () => {
  expect(await attempt('self.origin')).toBe('null');
  expect(await attempt('document.cookie')).toBe('SecurityError');
  expect(await attempt('localStorage.length')).toBe('SecurityError');
  expect(await attempt('fetch("/api/openapi.json").then(({ status }) => status)')).toBe(200);
  const blocked: string[] = [];
  page.on('console', (message) => blocked.push(message.text()));
  for (const path of ['/api/v1/users/me', '/api/v1/sessions/me', '/oauth2/v1/userinfo', '/api/reference']) {
    expect(await attempt(`fetch("${path}", { credentials: "include" }).then(({ status }) => status)`)).toBe(
      'TypeError',
    );
    expect(await attempt(`fetch("${path}", { mode: "no-cors" }).then(({ type }) => type)`)).toBe('TypeError');
  }
  expect(blocked.filter((text) => text.includes('connect-src'))).not.toEqual([]);
});
