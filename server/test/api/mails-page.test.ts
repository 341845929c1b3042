import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestOrg, type TestService } from '../support/service.ts';
import { userIn } from '../support/users.ts';

/** Mails on a page of development installs (ADR 0043). */
let service: TestService;
let org: TestOrg;
const PAGE = '/dev/mails';

beforeAll(async () => {
  service = await startTestService();
  org = service.org;
});
afterAll(() => service.close());

const shownTo = (of: TestOrg, headers: Readonly<Record<string, string>> = {}) =>
  of.anonymous.get(PAGE, { headers: { accept: 'text/html', ...headers } });
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
  async (headers) => expect((await shownTo(org, headers)).status).toBe(404),
);

test('an install that is not for development has no such page, and does not lead there', async () => {
  const production = await startTestService({ showsMails: false });
  try {
    await userIn(production.org, 'PROVISIONED');
    const { status, text } = await shownTo(production.org);
    expect(status).toBe(404);
    expect(text).not.toContain('/welcome/');
    expect((await production.org.admin.get(PAGE)).body).toMatchObject({ errorCode: 'E0000008' });
    expect((await production.org.anonymous.get('/')).text).not.toContain(PAGE);
  } finally {
    await production.close();
  }
});
