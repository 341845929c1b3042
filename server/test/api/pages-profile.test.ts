import { beforeAll, describe, expect, test } from 'vitest';
import { newUser, WRONG } from '../support/authn.ts';
import type { TestResponse } from '../support/client.ts';
import { formsIn } from '../support/forms.ts';
import { openPageClient, type PageClient, signInByPages } from '../support/page-client.ts';
import { defineAttributes } from '../support/schemas.ts';
import { useService } from '../support/use-service.ts';
import { PASSWORD, userPath } from '../support/users.ts';

/**
 * This file tests the page on which users change the attributes of their profile that the schema lets them change
 * (ADR 0043).
 */
const { service, org } = useService();
const PAGE = '/account/profile';
const SELF = (action: string) => [{ principal: 'SELF', action }];

beforeAll(async () => {
  await defineAttributes(org, {
    badge: { title: 'Badge', type: 'string', permissions: SELF('READ_ONLY') },
    shirt: { title: 'Shirt', type: 'string', enum: ['S', 'M'], permissions: SELF('READ_WRITE') },
    desk: { title: 'Desk', type: 'integer', minimum: 1, permissions: SELF('READ_WRITE') },
    vegan: { title: 'Vegan', type: 'boolean', permissions: SELF('READ_WRITE') },
    tags: { title: 'Tags', type: 'array', items: { type: 'string' }, permissions: SELF('READ_WRITE') },
    secret: { title: 'Secret', type: 'string', permissions: SELF('HIDE') },
  });
});

interface Person {
  readonly id: string;
  readonly login: string;
  readonly browser: PageClient;
  readonly profile: () => Promise<TestResponse['body']>;
  readonly save: (fields: Readonly<Record<string, string>>) => Promise<TestResponse>;
}

async function person(of = org): Promise<Person> {
  const user = await newUser(of);
  const browser = openPageClient(of);
  await signInByPages(browser, user.profile.login);
  return {
    id: user.id,
    login: user.profile.login,
    browser,
    profile: async () => (await of.admin.get(userPath(user.id))).body.profile,
    save: (fields) => browser.submit(PAGE, fields, PAGE),
  };
}

const SAVED = { status: 303, headers: { location: `${PAGE}?done=saved` } };
const formOf = ({ text }: TestResponse) => formsIn(text).find(({ action }) => action === PAGE);

test('what the schema leaves to users is a field, the rest stands there, what is hidden does not', async () => {
  const { browser, id } = await person();
  await org.admin.post(userPath(id), { body: { profile: { badge: 'B-7', secret: 'S-7', tags: ['x', 'y'] } } });
  const page = await browser.get(PAGE);
  const names = Object.keys(formOf(page)?.fields ?? {}).filter((name) => name.startsWith('profile.'));
  const base = ['firstName', 'lastName', 'email', 'secondEmail', 'mobilePhone'];
  const expected = [...base, 'shirt', 'desk', 'vegan'].map((name) => `profile.${name}`);
  expect(names.toSorted()).toEqual(expected.toSorted());
  expect(page.text).toContain('<dt>Badge</dt><dd>B-7</dd>');
  expect(page.text).toContain('<dt>Tags</dt><dd>x, y</dd>');
  expect(page.text).not.toContain('S-7');
});

test('it is saved as its types, by the user, and told in the log', async () => {
  const { browser, id, login, profile, save } = await person();
  const typed = {
    'profile.firstName': ' Augusta ',
    'profile.shirt': 'M',
    'profile.desk': '7',
    'profile.vegan': 'false',
  };
  expect(await save(typed)).toMatchObject(SAVED);
  expect(await profile()).toMatchObject({ firstName: 'Augusta', shirt: 'M', desk: 7, vegan: false, login });
  const [event] = (await org.systemLog('eventType eq "user.account.update_profile"')).slice(-1);
  expect(event).toMatchObject({ actor: { id, type: 'User' }, target: [{ id }], outcome: { result: 'SUCCESS' } });
  expect((await browser.get(`${PAGE}?done=saved`)).text).toContain('Your profile has been saved.');
  expect(await save({ 'profile.shirt': '', 'profile.desk': '' })).toMatchObject(SAVED);
  const after = await profile();
  expect([after.shirt, after.desk, after.vegan]).toEqual([undefined, undefined, false]);
});

describe('is refused, and nothing is saved', () => {
  test.each([
    [{ 'profile.lastName': '' }, 'lastName'],
    [{ 'profile.desk': '0' }, 'desk'],
    [{ 'profile.desk': 'seven' }, 'desk'],
    [{ 'profile.shirt': 'XXL' }, 'shirt'],
    [{ 'profile.mobilePhone': '1'.repeat(101) }, 'mobilePhone'],
  ])('%j', async (fields, name) => {
    const { profile, save } = await person();
    const before = await profile();
    const answer = await save({ ...fields, 'profile.firstName': 'Augusta' });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(`id="about.${name}"`);
    expect(formOf(answer)?.fields['profile.firstName']).toBe('Augusta');
    expect(await profile()).toEqual(before);
  });

  test('what the schema keeps from users, whatever the form says', async () => {
    const { profile, save } = await person();
    const more = { 'profile.badge': 'B-8', 'profile.login': 'root@example.com', 'profile.nothing': 'x', badge: 'B-8' };
    expect(await save(more)).toMatchObject(SAVED);
    expect(await profile()).not.toHaveProperty('badge');
    expect((await profile()).login).not.toBe('root@example.com');
  });

  test('a form of another session, and one that comes without a session', async () => {
    const [one, other] = [await person(), await person()];
    const stolen = formOf(await one.browser.get(PAGE))?.fields ?? {};
    expect((await other.browser.post(PAGE, { ...stolen, 'profile.firstName': 'Eve' })).status).toBe(403);
    expect((await openPageClient(org).post(PAGE, stolen)).headers['location']).toMatch(/^\/signin/);
    expect((await other.profile()).firstName).toBe('Ada');
  });
});

test('a change made meanwhile is told, with what was typed; the second time it is saved', async () => {
  const { browser, id, profile } = await person();
  const form = formOf(await browser.get(PAGE));
  await org.admin.post(userPath(id), { body: { profile: { mobilePhone: '1', title: 'Countess' } } });
  const refused = await browser.post(PAGE, { ...form?.fields, 'profile.mobilePhone': '2' });
  expect(refused.status).toBe(412);
  expect(refused.text).toContain('changed in the meantime');
  expect(refused.text).toContain('Current value: 1');
  expect((await profile()).mobilePhone).toBe('1');
  expect(await browser.post(PAGE, { ...formOf(refused)?.fields })).toMatchObject(SAVED);
  expect(await profile()).toMatchObject({ mobilePhone: '2', title: 'Countess' });
});

test('of two that are sent at once one is saved', async () => {
  const { browser, profile } = await person();
  const fields = formOf(await browser.get(PAGE))?.fields ?? {};
  const answers = await Promise.all(['1', '2'].map((desk) => browser.post(PAGE, { ...fields, 'profile.desk': desk })));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 412]);
  expect([1, 2]).toContain((await profile()).desk);
});

describe('an address that mails go to', () => {
  const email = 'ada@elsewhere.example';

  test('is not changed without the password, which is no try', async () => {
    const { id, profile, save } = await person();
    const before = await profile();
    const answer = await save({ 'profile.secondEmail': email, password: '' });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('enter your current password too');
    expect(formOf(answer)?.fields['profile.secondEmail']).toBe(email);
    expect(await profile()).toEqual(before);
    expect(await org.systemLog(`target.id eq "${id}" and outcome.result eq "FAILURE"`)).toEqual([]);
  });

  test('is not changed with a wrong one, and the try counts', async () => {
    const { browser, id, profile, save } = await person();
    const before = await profile();
    const answer = await save({ 'profile.email': email, password: WRONG });
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('The current password is incorrect.');
    expect(answer.text).not.toContain(WRONG);
    expect(await profile()).toEqual(before);
    expect((await browser.get(PAGE)).status).toBe(200);
    expect(await org.systemLog(`target.id eq "${id}" and outcome.result eq "FAILURE"`)).toMatchObject([
      { eventType: 'user.account.update_profile', outcome: { reason: 'INVALID_CREDENTIALS' } },
    ]);
  });

  test('waits with it until it is proved (pending-addresses.test.ts)', async () => {
    const { browser, login, profile, save } = await person();
    expect(await save({ 'profile.email': email, password: PASSWORD })).toMatchObject(SAVED);
    expect((await profile()).email).toBe(login);
    expect((await browser.get(PAGE)).text).toContain(`${email} is not confirmed yet`);
  });
});

test('where the schema leaves nothing to users there is no form', async () => {
  const own = await service.newOrg();
  const base = ['firstName', 'lastName', 'email', 'secondEmail', 'mobilePhone'];
  const properties = Object.fromEntries(base.map((name) => [name, { permissions: SELF('READ_ONLY') }]));
  const body = { definitions: { base: { properties } } };
  expect((await own.admin.post('/api/v1/meta/schemas/user/default', { body })).status).toBe(200);
  const { browser, login } = await person(own);
  const page = await browser.get(PAGE);
  expect(formOf(page)).toBeUndefined();
  expect(page.text).toContain(`<dd>${login}</dd>`);
});
