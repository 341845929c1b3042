import { describe, expect, test } from 'vitest';
import { appUser, appUsers, assign, bookmarkApp, idsOf, newApp } from '../support/app-assignments.ts';
import { webApp } from '../support/apps.ts';
import type { TestResponse } from '../support/client.ts';
import { closedTo as withClosed } from '../support/closed-attributes.ts';
import { type Holder, withCustomRole } from '../support/roles.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { userPath } from '../support/users.ts';

type Body = TestResponse['body'];

const { service, org } = useService();

const closedTo = (names: readonly string[], ...permissions: readonly string[]): Promise<Holder> =>
  withClosed(org, names, ['apps.read', ...permissions], ['/api/v1/apps']);

const hidden = (user: Body): string[] => [user.profile.email, user.profile.firstName, user.profile.lastName];

let people = 0;
const newPerson = (): Promise<Body> => {
  people += 1;
  const profile = {
    firstName: `Ottoline${people}`,
    lastName: `Featherstone${people}`,
    email: `hid${people}@hid.example`,
  };
  return org.createUser({ profile });
};

test('who reads apps and no users is shown nothing of their profiles', async () => {
  const [app, user] = [await newApp(org, webApp()), await newPerson()];
  await assign(org, app, user);
  const reader = await withCustomRole(org, ['apps.read'], ['/api/v1/apps']);
  for (const path of [appUser(app, user), appUsers(app)]) {
    const shown = await reader.get(path);
    expect(shown.status, shown.text).toBe(200);
    expect(shown.text).toContain(user.id);
    for (const text of [...hidden(user), user.profile.login]) expect(shown.text).not.toContain(text);
  }
  for (const text of [...hidden(user), user.profile.login]) {
    expect((await reader.get(`${appUsers(app)}?q=${encodeURIComponent(text)}`)).body).toEqual([]);
  }
});

describe('attributes of users that a role closes', () => {
  const CLOSED = ['email', 'firstName', 'lastName'];

  test('are closed in what apps see of them as well: mapped values and lists of apps', async () => {
    const [app, user, reader] = [await newApp(org, webApp()), await newPerson(), await closedTo(CLOSED)];
    await assign(org, app, user);
    const whole = await org.admin.get(appUser(app, user));
    for (const text of hidden(user)) expect(JSON.stringify(whole.body.profile)).toContain(text);
    const query = `filter=${encodeURIComponent(`user.id eq "${user.id}"`)}&expand=user/${user.id}`;
    const lists = [appUsers(app), `${appUsers(app)}?expand=user`, `${appUser(app, user)}?expand=user`];
    for (const path of [userPath(user.id), appUser(app, user), ...lists, `/api/v1/apps?${query}`]) {
      const shown = await reader.get(path);
      expect(shown.status, shown.text).toBe(200);
      expect(shown.text).toContain(user.id);
      for (const text of hidden(user)) expect(shown.text).not.toContain(text);
      expect(shown.text).toContain(user.profile.login);
    }
    const { profile } = (await reader.get(appUser(app, user))).body;
    expect(Object.keys(profile)).toEqual(Object.keys(whole.body.profile));
    expect(profile).toMatchObject({ email: null, given_name: null, family_name: null });
  });

  test('are not closed to the own user', async () => {
    const [app, reader] = [await newApp(org, webApp()), await closedTo(CLOSED)];
    await assign(org, app, { id: reader.userId });
    const own = (await org.admin.get(appUser(app, { id: reader.userId }))).body;
    expect((await reader.get(appUser(app, { id: reader.userId }))).body).toEqual(own);
  });

  test('nor make names in the app', async () => {
    const userNameTemplate = { template: '${source.email}', type: 'BUILT_IN' };
    const app = await newApp(org, webApp({}, {}, { credentials: { userNameTemplate } }));
    const [user, reader] = [await newPerson(), await closedTo(CLOSED)];
    await assign(org, app, user);
    expect((await org.admin.get(appUser(app, user))).body.credentials.userName).toBe(user.profile.email);
    expect((await reader.get(appUser(app, user))).body.credentials).not.toHaveProperty('userName');
  });

  test('find nobody by q; open ones and the name set for the app do', async () => {
    const [app, user, reader] = [await newApp(org, bookmarkApp()), await newPerson(), await closedTo(CLOSED)];
    await assign(org, app, user, { credentials: { userName: `InApp${people}` } });
    const found = async (client: Holder | TestOrg['admin'], q: string) =>
      idsOf(await client.get(`${appUsers(app)}?q=${encodeURIComponent(q)}`));
    for (const text of hidden(user)) {
      expect(await found(org.admin, text)).toEqual([user.id]);
      expect(await found(reader, text)).toEqual([]);
    }
    for (const text of [user.profile.login, `inapp${people}`]) expect(await found(reader, text)).toEqual([user.id]);
    const blind = await closedTo([...CLOSED, 'login']);
    expect(await found(blind, user.profile.login)).toEqual([]);
    expect(await found(blind, `inapp${people}`)).toEqual([user.id]);
  });

  test('stay inherited when a profile is sent back as it was read', async () => {
    const [app, user] = [await newApp(org, webApp()), await newPerson()];
    const writer = await closedTo(CLOSED, 'apps.assignment.manage');
    await assign(org, app, user);
    const { credentials, profile } = (await writer.get(appUser(app, user))).body;
    const written = await writer.post(appUser(app, user), { body: { credentials, profile } });
    expect(written).toMatchObject({ status: 200, body: { profile } });
    const { rows } = await service.database.pool.query(
      'select profile, user_name as "userName" from app_users where org_id = $1 and app_id = $2',
      [org.id, app.id],
    );
    expect(rows).toEqual([{ profile: {}, userName: null }]);
    expect((await org.admin.get(appUser(app, user))).body.profile.email).toBe(user.profile.email);
  });

  test('and a value that is guessed right is written as one that is not', async () => {
    const [app, user] = [await newApp(org, webApp()), await newPerson()];
    const writer = await closedTo(CLOSED, 'apps.assignment.manage');
    await assign(org, app, user);
    for (const email of ['guess@hid.example', user.profile.email]) {
      expect(await writer.post(appUser(app, user), { body: { profile: { email } } })).toMatchObject({
        status: 200,
        body: { profile: { email } },
      });
    }
  });
});
