import { describe, expect, test } from 'vitest';
import { appUser, assign, assignTo, newApp, newGroup } from '../support/app-assignments.ts';
import { invalidField, webApp } from '../support/apps.ts';
import type { TestResponse } from '../support/client.ts';
import { useService } from '../support/use-service.ts';
import { userPath } from '../support/users.ts';

type Body = TestResponse['body'];

const { org } = useService();

async function extend(app: Body, properties: Readonly<Record<string, object>>): Promise<void> {
  const body = { definitions: { custom: { id: '#custom', type: 'object', properties } } };
  const response = await org.admin.post(`/api/v1/meta/schemas/apps/${app.id}/default`, { body });
  expect(response.status, response.text).toBe(200);
}

async function map(app: Body, properties: Readonly<Record<string, object | null>>): Promise<void> {
  const { body } = await org.admin.get(`/api/v1/mappings?targetId=${app.id}`);
  const response = await org.admin.post(`/api/v1/mappings/${body[0].id}`, { body: { properties } });
  expect(response.status, response.text).toBe(200);
}

const text = (title: string, more: object = {}) => ({ title, type: 'string', ...more });

describe('the schema of an app', () => {
  test('says what its users may have', async () => {
    const app = await newApp(org, webApp());
    await extend(app, { badge: { title: 'Badge', type: 'integer', minimum: 1 }, constructor: text('A name like all') });
    const user = await org.createUser();
    const made = await assign(org, app, user, { profile: { badge: 7, constructor: 'x' } });
    expect(made).toMatchObject({ status: 200, body: { profile: { badge: 7, constructor: 'x' } } });
    const body = { profile: { badge: 0, toString: 'x' } };
    const refused = await org.admin.post(appUser(app, user), { body });
    expect(refused).toMatchObject(invalidField('profile'));
    expect(refused.body.errorCauses).toHaveLength(2);
  });

  test('a required attribute has to come from somewhere', async () => {
    const app = await newApp(org, webApp());
    await extend(app, { badge: text('Badge', { required: true }) });
    const user = await org.createUser();
    expect(await assign(org, app, user)).toMatchObject(invalidField('profile'));
    expect(await assign(org, app, user, { profile: { badge: 'x' } })).toMatchObject({ status: 200 });
    const other = await org.createUser({ profile: { employeeNumber: '7' } });
    await map(app, { badge: { expression: 'user.employeeNumber', pushStatus: 'PUSH' } });
    expect(await assign(org, app, other)).toMatchObject({ status: 200, body: { profile: { badge: '7' } } });
  });

  test('values of several groups add up where it says so', async () => {
    const app = await newApp(org, webApp());
    const list = { title: 'Teams', type: 'array', items: { type: 'string' }, union: 'ENABLE' };
    await extend(app, { teams: list });
    const user = await org.createUser();
    await assignTo(org, app, await newGroup(org, user), { profile: { teams: ['red', 'blue'] } });
    await assignTo(org, app, await newGroup(org, user), { profile: { teams: ['blue', 'green'] } });
    expect(await org.admin.get(appUser(app, user))).toMatchObject({
      body: { profile: { teams: ['red', 'blue', 'green'] } },
    });
  });
});

describe('mappings', () => {
  test('say what the app gets of the profile, as it is now', async () => {
    const app = await newApp(org, webApp());
    const user = await org.createUser({ profile: { firstName: 'Grace', lastName: 'Hopper', department: 'Navy' } });
    await assign(org, app, user);
    await map(app, {
      nickname: { expression: 'String.toUpperCase(user.department)', pushStatus: 'PUSH' },
      given_name: null,
    });
    const { body } = await org.admin.get(appUser(app, user));
    expect(body.profile).toMatchObject({ nickname: 'NAVY', given_name: null, family_name: 'Hopper' });
    await org.admin.post(userPath(user.id), { body: { profile: { department: 'Army' } } });
    expect(await org.admin.get(appUser(app, user))).toMatchObject({ body: { profile: { nickname: 'ARMY' } } });
  });

  test('what groups and users say stands before it', async () => {
    const app = await newApp(org, webApp());
    const user = await org.createUser({ profile: { nickName: 'mapped' } });
    const group = await newGroup(org, user);
    await assignTo(org, app, group);
    const nickname = async () => (await org.admin.get(appUser(app, user))).body.profile.nickname;
    expect(await nickname()).toBe('mapped');
    await assignTo(org, app, group, { profile: { nickname: 'of the group' } });
    expect(await nickname()).toBe('of the group');
    await org.admin.post(appUser(app, user), { body: { profile: { nickname: 'own' } } });
    expect(await nickname()).toBe('own');
  });
});
