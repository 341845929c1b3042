import { describe, expect, test } from 'vitest';
import { appUser, appUsers, assign, newApp, passwordApp, toldBy } from '../support/app-assignments.ts';
import { kindNamed, newAppOf } from '../support/app-kinds.ts';
import { createApp, invalidField, webApp } from '../support/apps.ts';
import { beforeTests } from '../support/before-tests.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf, userPath } from '../support/users.ts';

const { service, org } = useService();
const oidc = beforeTests(() => newApp(org, webApp()));
const withPassword = beforeTests(() => newApp(org, passwordApp()));

const UNASSIGNED = { status: 404, body: { errorCode: 'E0000007' } };

describe('POST /api/v1/apps/{appId}/users', () => {
  test('assigns a user: who he is to the app comes of his profile', async () => {
    const user = await org.createUser({ profile: { firstName: 'Grace', lastName: 'Hopper', city: 'Arlington' } });
    const response = await assign(org, oidc, user);
    expect(response).toMatchObject({
      status: 200,
      body: {
        id: user.id,
        externalId: null,
        scope: 'USER',
        status: 'ACTIVE',
        passwordChanged: null,
        syncState: 'DISABLED',
        credentials: { userName: user.profile.login },
        profile: {
          given_name: 'Grace',
          family_name: 'Hopper',
          name: 'Grace Hopper',
          email: user.profile.email,
          locality: 'Arlington',
          birthdate: null,
        },
        _links: {
          app: { href: `${org.baseUrl}/api/v1/apps/${oidc.id}` },
          user: { href: `${org.baseUrl}/api/v1/users/${user.id}` },
        },
      },
    });
    expect(response.body._links).not.toHaveProperty('group');
    expect(await org.admin.get(appUser(oidc, user))).toMatchObject({ status: 200, body: response.body });
  });

  test('tells who got which app', async () => {
    const user = await org.createUser();
    const response = await assign(org, oidc, user);
    const [event, ...others] = await eventsOf(org, response);
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      eventType: 'application.user_membership.add',
      target: [
        {
          id: expect.stringMatching(/^0ua[0-9A-Za-z]{17}$/),
          type: 'AppUser',
          alternateId: user.profile.login,
          changeDetails: { from: {}, to: { scope: 'USER', userName: user.profile.login, password: null } },
        },
        { id: oidc.id, type: 'AppInstance', alternateId: oidc.label },
        { id: user.id, type: 'User', alternateId: user.profile.login },
      ],
    });
  });

  test('takes a name, a profile and a password of his own', async () => {
    const user = await org.createUser();
    const credentials = { userName: 'ghopper', password: { value: 'compiler-1952' } };
    const response = await assign(org, withPassword, user, { scope: 'USER', credentials });
    expect(response).toMatchObject({
      status: 200,
      body: { credentials: { userName: 'ghopper', password: {} }, passwordChanged: response.body.created },
    });
    expect(response.text).not.toContain('compiler');
    const { rows } = await service.database.pool.query('select sealed_password from app_users where user_id = $1', [
      user.id,
    ]);
    expect(rows[0].sealed_password.toString('latin1')).not.toContain('compiler');
    expect(JSON.stringify(await org.systemLog())).not.toContain('compiler-1952');
    const given = { profile: { nickname: 'Amazing Grace' } };
    expect(await assign(org, oidc, user, given)).toMatchObject({ status: 200, body: given });
  });

  test('mass assignment: what is not for clients to set is left aside', async () => {
    const user = await org.createUser();
    const given = { status: 'SUSPENDED', created: '1990-01-01T00:00:00.000Z', externalId: 'x', _links: {}, isAdmin: 1 };
    const { body, status } = await assign(org, oidc, user, given);
    expect({ status, is: body.status, externalId: body.externalId }).toEqual({
      status: 200,
      is: 'ACTIVE',
      externalId: null,
    });
    expect(body.created > '2000').toBe(true);
    expect(body).not.toHaveProperty('isAdmin');
  });

  test('409 E0000062 for who has it already, and nothing is changed', async () => {
    const user = await org.createUser();
    await assign(org, oidc, user, { profile: { nickname: 'first' } });
    const again = await assign(org, oidc, user, { profile: { nickname: 'second' } });
    expect(again).toMatchObject({ status: 409, body: { errorCode: 'E0000062' } });
    expect(await org.admin.get(appUser(oidc, user))).toMatchObject({ body: { profile: { nickname: 'first' } } });
    expect(await toldBy(org, again)).toEqual([]);
  });

  test('a repeated Idempotency-Key answers as the first time', async () => {
    const user = await org.createUser();
    const options = { body: { id: user.id }, headers: { 'idempotency-key': `assign-${user.id}` } };
    const first = await org.admin.post(appUsers(oidc), options);
    const second = await org.admin.post(appUsers(oidc), options);
    expect(second).toMatchObject({ status: 200, body: first.body });
    expect(await toldBy(org, second)).toEqual([]);
  });

  test.each([
    ['an unknown user', '00u00000000000000000'],
    ['a login', 'nobody@example.com'],
    ['an empty id', ''],
  ])('404 for %s', async (_, id) => {
    expect(await org.admin.post(appUsers(oidc), { body: { id } })).toMatchObject(UNASSIGNED);
  });

  test('404 for an unknown app', async () => {
    const user = await org.createUser();
    expect(await assign(org, { id: '0oa00000000000000000' }, user)).toMatchObject(UNASSIGNED);
  });

  test.each([
    ['no id', {}],
    ['an unknown scope', { id: 'x', scope: 'EVERYBODY' }],
    ['a profile that is a list', { id: 'x', profile: [] }],
    ['a name that is a number', { id: 'x', credentials: { userName: 5 } }],
  ])('400 for %s', async (_, body) => {
    expect(await org.admin.post(appUsers(oidc), { body })).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000001' },
    });
  });

  test.each([
    ['attributes that the app does not have', { profile: { shoeSize: 9, constructor: 'x' } }, 'profile', 2],
    ['a value of another type', { profile: { nickname: 9 } }, 'profile', 1],
    ['a blank name', { credentials: { userName: ' ' } }, 'credentials.userName', 1],
    ['a name too long', { credentials: { userName: 'x'.repeat(101) } }, 'credentials.userName', 1],
  ])('400 for %s, with a cause each', async (_, given, field, causes) => {
    const user = await org.createUser();
    const response = await assign(org, oidc, user, given);
    expect(response).toMatchObject(invalidField(field));
    expect(response.body.errorCauses).toHaveLength(causes);
    expect(await org.admin.get(appUser(oidc, user))).toMatchObject(UNASSIGNED);
  });

  test('400 for the scope GROUP of a user whom no group gives the app', async () => {
    const user = await org.createUser();
    expect(await assign(org, oidc, user, { scope: 'GROUP' })).toMatchObject(invalidField('scope'));
  });

  test('a password of an app that has none is taken and dropped', async () => {
    const user = await org.createUser();
    const bookmark = await createApp(org, newAppOf(kindNamed('BOOKMARK bookmark')));
    for (const app of [oidc, bookmark]) {
      const credentials = { userName: 'ada', password: { value: 'a secret of hers' } };
      const assigned = await assign(org, app, user, { credentials });
      expect(assigned).toMatchObject({ status: 200, body: { credentials: { userName: 'ada' } } });
      expect(assigned.body.credentials).not.toHaveProperty('password');
      const shown = await org.admin.get(appUser(app, user));
      expect(shown).toMatchObject({ status: 200, body: { passwordChanged: null } });
      expect(shown.body.credentials).not.toHaveProperty('password');
      const text = 'select sealed_password from app_users where app_id = $1 and user_id = $2';
      const { rows } = await service.database.pool.query(text, [app.id, user.id]);
      expect(rows).toEqual([{ sealed_password: null }]);
    }
  });

  test('400 E0000041 for a password of a scheme that leaves the user none', async () => {
    const user = await org.createUser();
    const kind = kindNamed('BROWSER_PLUGIN template_swa');
    const app = await createApp(org, newAppOf(kind, { credentials: { scheme: 'EXTERNAL_PASSWORD_SYNC' } }));
    expect(await assign(org, app, user, { credentials: { password: { value: 'secret' } } })).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000041' },
    });
    // Responses contain an empty password object if a password is set, and clients send that object back.
    expect(await assign(org, app, user, { credentials: { password: {} } })).toMatchObject({ status: 200 });
  });

  test('403 E0000117 for a deactivated user', async () => {
    const user = await org.createUser();
    await org.admin.post(`${userPath(user.id)}/lifecycle/deactivate`);
    expect(await assign(org, oidc, user)).toMatchObject({ status: 403, body: { errorCode: 'E0000117' } });
  });
});
