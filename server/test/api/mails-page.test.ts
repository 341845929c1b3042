import { describe, expect, test } from 'vitest';
import { masterKeyOf } from '../../src/platform/crypto/index.ts';
import { mailsPageUrl } from '../../src/sign-in/pages/mails-page.ts';
import { openPageClient, type PageClient, signInByPages } from '../support/page-client.ts';
import { startTestService, type TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { CREDENTIALS, userIn } from '../support/users.ts';

/** This file tests the page that shows emails in development installations (ADR 0043). */
const { service, org } = useService({ isShared: false });
const PAGE = '/dev/mails';

const KEYED = mailsPageUrl('', masterKeyOf(Buffer.alloc(32, 7)));

async function browserWithKey(of: TestOrg): Promise<PageClient> {
  const browser = openPageClient(of);
  expect(await browser.get(KEYED)).toMatchObject({ status: 303, headers: { location: PAGE } });
  return browser;
}

const shownTo = async (of: TestOrg, headers: Readonly<Record<string, string>> = {}) =>
  (await browserWithKey(of)).get(PAGE, headers);
const subjects = (text: string): string[] => [...text.matchAll(/<p>To ([^,]*),/g)].map(([, to = '']) => to);

test('mails stand there newest first, with their links, those of the own org alone', async () => {
  const another = await service.newOrg();
  await userIn(another, 'PROVISIONED');
  const first = await userIn(org, 'PROVISIONED');
  service.clock.advance(1_000);
  const second = await userIn(org, 'PROVISIONED');
  const { headers, status, text } = await shownTo(org);
  expect(status).toBe(200);
  expect(subjects(text)).toEqual([second.profile.email, first.profile.email]);
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-frame-options': 'DENY' });
  const link = /href="(https:[^"]*\/welcome\/[^"]*)"/.exec(text)?.[1] ?? '';
  const welcome = await org.anonymous.get(new URL(link).pathname, { headers: { accept: 'text/html' } });
  expect([welcome.status, welcome.text.includes('Welcome')]).toEqual([200, true]);
  const start = await org.anonymous.get('/', { headers: { accept: 'text/html' } });
  expect(start.text).toContain(`href="${PAGE}"`);
});

test('what people wrote is text there', async () => {
  const { body: before } = await org.admin.get('/api/v1/org');
  await org.admin.post('/api/v1/org', { body: { companyName: 'A <b>B</b>' } });
  await userIn(org, 'PROVISIONED');
  const { text } = await shownTo(org);
  expect(text).toContain('A &lt;b&gt;B&lt;/b&gt;');
  expect(text).not.toContain('<b>B</b>');
  await org.admin.post('/api/v1/org', { body: { companyName: before.companyName } });
});

test.each([{ 'x-forwarded-for': '203.0.113.7' }, { forwarded: 'for=203.0.113.7' }])(
  'who comes from elsewhere, %j, sees nothing',
  async (headers) => {
    expect((await shownTo(org, headers)).status).toBe(404);
    expect((await openPageClient(org).get(KEYED, headers)).status).toBe(404);
  },
);

/**
 * Every user of the machine can reach the page, so it requires a key, or a super administrator who has signed in
 * (docs/review-findings.md, security 10).
 */
describe('without the key nobody reads mails', () => {
  const refused = async (browser: PageClient, path = PAGE) => {
    const { status, text } = await browser.get(path);
    expect(status).toBe(403);
    expect(text).toContain('npm run gatehouse -- mail key');
    expect(subjects(text)).toEqual([]);
    expect(text).not.toContain('/reset-password/');
  };

  test('not by asking, by a wrong key, or by a cookie that was made up or is of another org', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    await org.anonymous.post('/api/v1/authn/recovery/password', { body: { username: user.profile.login } });
    await refused(openPageClient(org));
    await refused(openPageClient(org), `${PAGE}?key=`);
    await refused(openPageClient(org), KEYED.slice(0, -1));
    for (const value of ['', KEYED.slice(-43)]) {
      const browser = openPageClient(org);
      browser.cookies.set('__Host-mails', value);
      await refused(browser);
    }
    const elsewhere = openPageClient(org);
    for (const [name, value] of (await browserWithKey(await service.newOrg())).cookies) {
      elsewhere.cookies.set(name, value);
    }
    await refused(elsewhere);
  });

  test('but super administrators, once they have signed in', async () => {
    const [user, administrator, another] = [
      await org.createUser({ credentials: CREDENTIALS }),
      await org.createUser({ credentials: CREDENTIALS }),
      await org.createUser({ credentials: CREDENTIALS }),
    ];
    const roles = [
      [administrator, 'SUPER_ADMIN'],
      [another, 'ORG_ADMIN'],
    ] as const;
    for (const [{ id }, type] of roles) await org.admin.post(`/api/v1/users/${id}/roles`, { body: { type } });
    for (const { profile } of [user, another]) {
      const browser = openPageClient(org);
      await signInByPages(browser, profile.login);
      await refused(browser);
    }
    const browser = openPageClient(org);
    await signInByPages(browser, administrator.profile.login);
    expect((await browser.get(PAGE)).status).toBe(200);
  });
});

test('an install that is not for development has no such page, and does not lead there', async () => {
  const production = await startTestService({ showsMails: false });
  try {
    await userIn(production.org, 'PROVISIONED');
    const { status, text } = await openPageClient(production.org).get(KEYED);
    expect(status).toBe(404);
    expect(text).not.toContain('/welcome/');
    expect((await production.org.admin.get(PAGE)).body).toMatchObject({ errorCode: 'E0000008' });
    expect((await production.org.anonymous.get('/')).text).not.toContain(PAGE);
  } finally {
    await production.close();
  }
});
