import { describe, expect, test } from 'vitest';
import { appUser, appUsers, assign, bookmarkApp, newApp, passwordApp, toldBy } from '../support/app-assignments.ts';
import { invalidField, webApp } from '../support/apps.ts';
import { mailTo } from '../support/authn.ts';
import { beforeTests } from '../support/before-tests.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf, userPath } from '../support/users.ts';

const { service, org } = useService();
const oidc = beforeTests(() => newApp(org, webApp()));
const withPassword = beforeTests(() => newApp(org, passwordApp()));

const UNASSIGNED = { status: 404, body: { errorCode: 'E0000007' } };

describe('PUT /api/v1/apps/{appId}/users/{userId}', () => {
  test('assigns, and changes what is assigned; what changes nothing leaves no event', async () => {
    const user = await org.createUser();
    const made = await org.admin.put(appUser(oidc, user));
    expect(made).toMatchObject({ status: 200, body: { id: user.id, scope: 'USER' } });
    const changed = await org.admin.put(appUser(oidc, user), { body: { profile: { nickname: 'Ada' } } });
    expect(changed).toMatchObject({ status: 200, body: { profile: { nickname: 'Ada' } } });
    const same = await org.admin.put(appUser(oidc, user), { body: { profile: { nickname: 'Ada' } } });
    expect(same).toMatchObject({ status: 200, body: changed.body });
    const told = await Promise.all([made, changed, same].map((response) => toldBy(org, response)));
    expect(told.map((events) => events.map(({ what }) => what))).toEqual([['add'], ['update'], []]);
  });
});

describe('DELETE /api/v1/apps/{appId}/users/{userId}', () => {
  test('sendEmail=true tells the administrator, where the app is gone by that', async () => {
    const administrator = await org.withRoles('SUPER_ADMIN');
    const user = await org.createUser();
    for (const [query, count] of [
      ['', 0],
      ['?sendEmail=false', 0],
      ['?sendEmail=true', 1],
    ] as const) {
      await assign(org, oidc, user);
      expect(await administrator.send('DELETE', `${appUser(oidc, user)}${query}`, {})).toMatchObject({ status: 204 });
      const mail = await mailTo(service, org, { id: administrator.userId });
      expect(mail.count).toBe(count);
      if (count === 1)
        expect(mail).toMatchObject({ kind: 'appRemoved', text: expect.stringContaining(user.profile.login) });
    }
  });
});

describe('POST /api/v1/apps/{appId}/users/{userId}', () => {
  test('changes name, password and profile, and tells each', async () => {
    const user = await org.createUser();
    await assign(org, withPassword, user);
    const credentials = { userName: 'ada', password: { value: 'first' } };
    const response = await org.admin.post(appUser(withPassword, user), { body: { credentials } });
    expect(response).toMatchObject({ status: 200, body: { credentials: { userName: 'ada', password: {} } } });
    const events = await eventsOf(org, response);
    expect(events).toMatchObject([
      {
        eventType: 'application.user_membership.change_username',
        target: [{ changeDetails: { from: { userName: user.profile.login }, to: { userName: 'ada' } } }, {}, {}],
      },
      {
        eventType: 'application.user_membership.change_password',
        target: [{ changeDetails: { from: { password: null }, to: { password: '(set)' } } }, {}, {}],
      },
    ]);
    const replaced = await org.admin.post(appUser(withPassword, user), {
      body: { credentials: { password: { value: 'second' } } },
    });
    expect(await eventsOf(org, replaced)).toMatchObject([
      { target: [{ changeDetails: { from: { password: '(set)' }, to: { password: '(replaced)' } } }, {}, {}] },
    ]);
  });

  test('given attributes replace, others stay; null is nothing, and stays so', async () => {
    const user = await org.createUser();
    await assign(org, oidc, user, { profile: { nickname: 'Ada', gender: 'f' } });
    const body = { profile: { nickname: 'A.', given_name: null } };
    const response = await org.admin.post(appUser(oidc, user), { body });
    expect(response.body.profile).toMatchObject({ nickname: 'A.', gender: 'f', given_name: null });
  });

  test('what was read can be sent back, and goes on following the profile', async () => {
    const user = await org.createUser();
    await assign(org, oidc, user);
    const { body } = await org.admin.get(appUser(oidc, user));
    const sent = await org.admin.post(appUser(oidc, user), { body });
    expect(sent).toMatchObject({ status: 200, body });
    expect(await toldBy(org, sent)).toEqual([]);
    const login = `renamed.${user.profile.login}`;
    await org.admin.post(userPath(user.id), { body: { profile: { firstName: 'Renamed', login } } });
    expect(await org.admin.get(appUser(oidc, user))).toMatchObject({
      body: { credentials: { userName: login }, profile: { given_name: 'Renamed' } },
    });
  });

  test('null gives the name back to the template', async () => {
    const user = await org.createUser();
    await assign(org, oidc, user, { credentials: { userName: 'ada' } });
    const response = await org.admin.post(appUser(oidc, user), { body: { credentials: { userName: null } } });
    expect(response.body.credentials).toEqual({ userName: user.profile.login });
  });

  test('404 for who does not have the app, and for whom there is not', async () => {
    const user = await org.createUser();
    expect(await org.admin.post(appUser(oidc, user), { body: {} })).toMatchObject(UNASSIGNED);
    expect(await org.admin.post(appUser(oidc, { id: 'nobody' }), { body: {} })).toMatchObject(UNASSIGNED);
  });

  test('400 for what cannot be, and nothing is changed', async () => {
    const user = await org.createUser();
    await assign(org, oidc, user);
    const body = { credentials: { userName: 'ada' }, profile: { shoeSize: 9 } };
    expect(await org.admin.post(appUser(oidc, user), { body })).toMatchObject(invalidField('profile'));
    const { body: is } = await org.admin.get(appUser(oidc, user));
    expect(is.credentials).toEqual({ userName: user.profile.login });
  });
});

describe('DELETE /api/v1/apps/{appId}/users/{userId}', () => {
  test('takes the app away with all that was kept, once', async () => {
    const user = await org.createUser();
    await assign(org, withPassword, user, { credentials: { userName: 'ada', password: { value: 'secret' } } });
    const response = await org.admin.del(`${appUser(withPassword, user)}?sendEmail=true`);
    expect(response).toMatchObject({ status: 204 });
    expect(await eventsOf(org, response)).toMatchObject([
      {
        eventType: 'application.user_membership.remove',
        target: [{ changeDetails: { from: { scope: 'USER', userName: 'ada', password: '(set)' }, to: {} } }, {}, {}],
      },
    ]);
    expect(await org.admin.get(appUser(withPassword, user))).toMatchObject(UNASSIGNED);
    expect(await org.admin.del(appUser(withPassword, user))).toMatchObject(UNASSIGNED);
    const { body } = await assign(org, withPassword, user);
    expect(body.credentials).toEqual({ userName: user.profile.login });
  });

  test('404 for a deactivated user, who has no app any more', async () => {
    const user = await org.createUser();
    await assign(org, oidc, user);
    await org.admin.post(`${userPath(user.id)}/lifecycle/deactivate`);
    expect(await org.admin.del(appUser(oidc, user))).toMatchObject(UNASSIGNED);
    const changed = await org.admin.post(appUser(oidc, user), { body: {} });
    expect(changed).toMatchObject({ status: 403, body: { errorCode: 'E0000117' } });
  });

  test('of a deleted app or user nothing is left', async () => {
    const app = await newApp(org, bookmarkApp());
    const user = await org.createUser();
    await assign(org, app, user);
    await org.admin.post(`/api/v1/apps/${app.id}/lifecycle/deactivate`);
    expect(await org.admin.get(appUser(app, user))).toMatchObject({ status: 200 });
    expect(await org.admin.del(`/api/v1/apps/${app.id}`)).toMatchObject({ status: 204 });
    expect(await org.admin.get(appUser(app, user))).toMatchObject(UNASSIGNED);
    const other = await newApp(org, bookmarkApp());
    await assign(org, other, user);
    await org.admin.del(userPath(user.id));
    await org.admin.del(userPath(user.id));
    expect(await org.admin.get(appUsers(other))).toMatchObject({ status: 200, body: [] });
  });
});

describe('names in apps', () => {
  test.each([
    ['${fn:substringBefore(source.login, "@")}', (login: string) => login.split('@')[0]],
    ['${source.firstName}.${source.lastName}', () => 'Ada.Lovelace'],
  ])('%s', async (template, expected) => {
    const credentials = { userNameTemplate: { template, type: 'BUILT_IN' } };
    const app = await newApp(org, bookmarkApp({ credentials }));
    const user = await org.createUser();
    const { body } = await assign(org, app, user);
    expect(body.credentials).toEqual({ userName: expected(user.profile.login) });
  });

  test('an app without a template gives none', async () => {
    const app = await newApp(org, bookmarkApp({ credentials: { userNameTemplate: { template: '', type: 'NONE' } } }));
    const { body } = await assign(org, app, await org.createUser());
    expect(body.credentials).toEqual({});
  });
});
