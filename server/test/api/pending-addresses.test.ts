import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { masterKeyOf } from '../../src/platform/crypto/index.ts';
import { listMails } from '../../src/platform/mail/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import { formsIn } from '../support/forms.ts';
import { changeRule, createRule } from '../support/group-rules.ts';
import { createGroup, groupPath, idsOf } from '../support/groups.ts';
import { openPageClient, type PageClient, signInByPages } from '../support/page-client.ts';
import { openSession } from '../support/session-tokens.ts';
import { useService } from '../support/use-service.ts';
import { newUserApp, tokensOf, type UserApp } from '../support/user-tokens.ts';
import { ANOTHER_PASSWORD, changePassword, PASSWORD, userPath } from '../support/users.ts';

/** This file tests that an email address that users enter for themselves waits for the emailed link (ADR 0051). */
const { service, org } = useService({ isShared: false });
const other = beforeTests(() => service.newOrg());
const PAGE = '/account/profile';
const WANTED = 'admin@corp.example';

beforeAll(async () => {
  // This visit creates the certificate of `other` before the tests advance the service's clock. The client checks the
  // certificate against the system's clock.
  await openPageClient(other).get('/');
});
beforeEach(() => service.clock.advance(61 * 60_000));

interface Person extends UserApp {
  readonly browser: PageClient;
}

async function person(): Promise<Person> {
  const app = await newUserApp(org);
  const browser = openPageClient(org);
  await signInByPages(browser, app.login);
  return { ...app, browser };
}

const want = async ({ browser }: Person, address = WANTED, name = 'email'): Promise<void> => {
  const saved = await browser.submit(PAGE, { [`profile.${name}`]: address, password: PASSWORD }, PAGE);
  expect(saved.status).toBe(303);
};
const profileOf = async ({ userId }: UserApp) => (await org.admin.get(userPath(userId))).body.profile;
const mailsOf = async ({ userId }: UserApp, kind: string) =>
  (await listMails(service.application.db, masterKeyOf(Buffer.alloc(32, 7)), org.id, 200)).filter(
    (mail) => mail.userId === userId && mail.kind === kind,
  );

async function linkOf(of: UserApp): Promise<string> {
  const [mail] = await mailsOf(of, 'addressProof');
  return new URL(/https:\/\/\S+/.exec(mail?.text ?? '')?.[0] ?? '').pathname;
}
async function press({ browser }: Person, action: 'cancel' | 'resend'): Promise<void> {
  const form = formsIn((await browser.get(PAGE)).text).find(({ fields }) => fields['pending'] === 'email');
  expect((await browser.post(PAGE, { ...form?.fields, action })).status).toBe(303);
}
/** Opens the emailed link in a browser without a session. */
const open = (path: string) => openPageClient(org).submit(path, {}, '/signin/redeem');

async function claimsOf(app: UserApp) {
  const { access_token } = await tokensOf(service, org, app, { scopes: ['openid', 'email'] });
  const { body } = await org.client({ authorization: `Bearer ${access_token}` }).get('/oauth2/v1/userinfo');
  return { email: body.email, verified: body.email_verified };
}

test('waits, is mailed there, told to the old address, and is the user’s once the link is opened', async () => {
  const user = await person();
  await want(user);
  expect((await profileOf(user)).email).toBe(user.login);
  expect(await claimsOf(user)).toEqual({ email: user.login, verified: true });
  expect(await mailsOf(user, 'addressProof')).toMatchObject([{ recipient: WANTED }]);
  expect(await mailsOf(user, 'addressNotice')).toMatchObject([{ recipient: user.login }]);
  expect((await user.browser.get(PAGE)).text).toContain(`${WANTED} is not confirmed yet`);
  const link = await linkOf(user);
  expect((await openPageClient(org).get(link)).text).toContain('Confirm your email address');
  expect((await profileOf(user)).email).toBe(user.login);
  expect((await open(link)).text).toContain('Address confirmed');
  expect(await claimsOf(user)).toEqual({ email: WANTED, verified: true });
  expect((await user.browser.get(PAGE)).text).not.toContain('is not confirmed yet');
  const events = await org.systemLog(`eventType eq "user.account.update_profile" and target.id eq "${user.userId}"`);
  expect(events).toMatchObject([{ actor: { id: user.userId }, outcome: { result: 'SUCCESS' } }]);
  expect((await open(link)).status).toBe(401);
});

test('a group rule does not know it before', async () => {
  const group = await createGroup(org);
  const members = async () => idsOf((await org.admin.get(`${groupPath(group.id)}/users`)).body);
  const rule = await createRule(org, [group.id], 'String.stringContains(user.email, "@corp.example")');
  await changeRule(org, rule.id, 'activate');
  const user = await person();
  await want(user, 'evil@corp.example');
  expect(await members()).not.toContain(user.userId);
  await open(await linkOf(user));
  await expect.poll(members).toContain(user.userId);
});

test('a second address waits too, and one that is taken away does not', async () => {
  const user = await person();
  await want(user, 'second@b.example', 'secondEmail');
  expect((await profileOf(user)).secondEmail ?? null).toBeNull();
  expect((await open(await linkOf(user))).status).toBe(200);
  expect((await profileOf(user)).secondEmail).toBe('second@b.example');
  await want(user, '', 'secondEmail');
  expect((await profileOf(user)).secondEmail ?? null).toBeNull();
});

test('by the API as by the page, and what else was sent is saved', async () => {
  const user = await newUserApp(org);
  await org.admin.post(`${userPath(user.userId)}/roles`, { body: { type: 'SUPER_ADMIN' } });
  const cookie = `__Host-sid=${(await openSession(service, org, { userId: user.userId })).id}`;
  const own = org.client({ cookie, origin: org.baseUrl });
  const body = { profile: { email: WANTED, nickName: 'Ada' } };
  const answer = await own.post('/api/v1/users/me', { body });
  expect(answer).toMatchObject({ status: 200, body: { profile: { email: user.login, nickName: 'Ada' } } });
  await open(await linkOf(user));
  expect((await profileOf(user)).email).toBe(WANTED);
});

describe('the link is void', () => {
  const ENDS: Readonly<Record<string, (user: Person) => Promise<unknown>>> = {
    'when its user asks for another address': (user) => want(user, 'other@b.example'),
    'when its user keeps the old one': (user) => press(user, 'cancel'),
    'when an administrator says what the address is': ({ userId }) =>
      org.admin.post(userPath(userId), { body: { profile: { email: 'x@b.example' } } }),
    'with another password': ({ userId }) => changePassword(org.admin, userId, PASSWORD, ANOTHER_PASSWORD),
    'when its user is suspended': ({ userId }) => org.admin.post(`${userPath(userId)}/lifecycle/suspend`),
    'when its user becomes an administrator': ({ userId }) =>
      org.admin.post(`${userPath(userId)}/roles`, { body: { type: 'ORG_ADMIN' } }),
    'a day later': () => Promise.resolve(service.clock.advance(25 * 3_600_000)),
  };

  test.each(Object.entries(ENDS))('%s', async (_name, end) => {
    const user = await person();
    await want(user);
    const link = await linkOf(user);
    await end(user);
    expect((await open(link)).status).toBe(401);
    expect((await profileOf(user)).email).not.toBe(WANTED);
  });

  test('of two who open it at once one is told that it is done', async () => {
    const user = await person();
    await want(user);
    const link = await linkOf(user);
    const statuses = (await Promise.all([open(link), open(link)])).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 401]);
  });

  test('at another org, and for a sign-in', async () => {
    const user = await person();
    await want(user);
    const link = await linkOf(user);
    expect((await openPageClient(other).submit(link, {}, '/signin/redeem')).status).toBe(401);
    const body = { recoveryToken: link.slice(-20) };
    expect((await org.anonymous.post('/api/v1/authn/recovery/token', { body })).status).toBe(401);
    expect((await open(link)).status).toBe(200);
  });
});

test('the mail is sent again where its user asks for it', async () => {
  const user = await person();
  await want(user);
  const first = await linkOf(user);
  service.clock.advance(1_000);
  await press(user, 'resend');
  expect(await mailsOf(user, 'addressProof')).toHaveLength(2);
  expect((await open(first)).status).toBe(401);
  expect((await open(await linkOf(user))).status).toBe(200);
});
