import { describe, expect, test } from 'vitest';
import { findMisnamed, findSelfNamingApps } from '../../src/management/app-assignments/index.ts';
import { createApp, webApp } from '../support/apps.ts';
import { assertUser, JWT_BEARER, newAsserter } from '../support/assertion-grant.ts';
import { beforeTests } from '../support/before-tests.ts';
import type { TestResponse } from '../support/client.ts';
import { good, newCustomServer } from '../support/custom-servers.ts';
import { withTargets } from '../support/roles.ts';
import type { TestOrg } from '../support/service.ts';
import { newServiceApp, type ServiceApp } from '../support/service-apps.ts';
import { useService } from '../support/use-service.ts';
import { payloadOf } from '../support/user-tokens.ts';

// Custom servers normally use a user's name in the app as `sub`. No user may get a token with another user's `sub`.

const { service, org } = useService({ isShared: false });
const server = beforeTests(() => newCustomServer(org, { grantTypes: [JWT_BEARER] }));

type User = TestResponse['body'];

const appUserOf = (app: Pick<ServiceApp, 'id'>, user: User) => `/api/v1/apps/${app.id}/users/${user.id}`;
const named = (name: string | null) => ({ body: { credentials: { userName: name } } });
const name = (app: ServiceApp, user: User, to: string | null, as: { post: TestOrg['admin']['post'] } = org.admin) =>
  as.post(appUserOf(app, user), named(to));

async function subjectOf(app: ServiceApp, user: User): Promise<string> {
  const { body, status, text } = await assertUser(org, server, app, user.id);
  if (status !== 200) throw new Error(`answered ${status}: ${text}`);
  const { sub, uid } = payloadOf(body.access_token);
  expect(uid).toBe(user.id);
  return sub;
}

async function withTemplate(template: string, users: readonly User[]): Promise<ServiceApp> {
  const app = await newAsserter(
    org,
    users.map(({ id }) => id),
  );
  const { body } = await org.admin.get(`/api/v1/apps/${app.id}`);
  body.credentials.userNameTemplate = { template, type: 'BUILT_IN' };
  await good(org.admin.put(`/api/v1/apps/${app.id}`, { body }));
  return app;
}

const newUser = (): Promise<User> => org.createUser({ credentials: { password: { value: 'Correct-1-Horse' } } });

const REFUSED = { status: 400, body: { errorCode: 'E0000001' } };
const TAKEN = 'is the name of another user in an application.';

describe('a name that is made of attributes which their owner writes himself', () => {
  test("security 20 a: does not become the login of somebody else's token", async () => {
    const [user, victim] = [await newUser(), await newUser()];
    const app = await withTemplate('${source.email}', [user]);
    await good(org.admin.post(`/api/v1/users/${user.id}`, { body: { profile: { email: victim.profile.login } } }));
    expect((await org.admin.get(appUserOf(app, user))).body.credentials.userName).toBe(victim.profile.login);
    expect(await subjectOf(app, user)).toBe(user.id);
  });

  test('is nobody in tokens, whosever it is', async () => {
    const user = await newUser();
    const app = await withTemplate('${source.mobilePhone}', [user]);
    await good(org.admin.post(`/api/v1/users/${user.id}`, { body: { profile: { mobilePhone: '555-0100' } } }));
    expect(await subjectOf(app, user)).toBe(user.id);
  });

  test('is a name where others write it: of one user alone, also where two have it at once', async () => {
    const users = [await newUser(), await newUser()];
    const app = await withTemplate('${source.nickName}', users);
    for (const { id } of users) {
      await good(org.admin.post(`/api/v1/users/${id}`, { body: { profile: { nickName: 'ghopper' } } }));
    }
    const subjects = await Promise.all(users.map((user) => subjectOf(app, user)));
    expect(subjects).toContain('ghopper');
    expect(new Set(subjects).size).toBe(2);
  });

  test('is nobody where a client is called so, or was', async () => {
    const [user, clientId] = [await newUser(), 'Nightly.Export'];
    const app = await withTemplate('${source.nickName}', [user]);
    await good(org.admin.post(`/api/v1/users/${user.id}`, { body: { profile: { nickName: clientId.toLowerCase() } } }));
    const { id } = await createApp(org, webApp({}, { client_id: clientId }));
    expect(await subjectOf(app, user)).toBe(user.id);
    await good(org.admin.post(`/api/v1/apps/${id}/lifecycle/deactivate`));
    await good(org.admin.del(`/api/v1/apps/${id}`));
    expect(await subjectOf(app, user)).toBe(user.id);
  });
});

describe('a name of their own choice', () => {
  test("security 20 b, c: is not another's login, for whoever may not manage him nor for who may", async () => {
    const [user, victim] = [await newUser(), await newUser()];
    const app = await newAsserter(org, [user.id, victim.id]);
    const administrator = await org.withRoles('APP_ADMIN');
    for (const login of [victim.profile.login, victim.profile.login.toUpperCase()]) {
      expect(await name(app, user, login, administrator)).toMatchObject({ status: 403 });
      expect(await name(app, user, login)).toMatchObject(REFUSED);
    }
    expect(await subjectOf(app, user)).toBe(user.profile.login);
    expect((await name(app, user, 'of-my-own', administrator)).status).toBe(200);
    expect(await subjectOf(app, user)).toBe('of-my-own');
  });

  test("security 20 c: is not another's login for who has one app to give, and gives it to himself", async () => {
    const victim = await newUser();
    const app = await newAsserter(org, []);
    const administrator = await withTargets(org, 'APP_ADMIN', { apps: [`oidc_client/${app.id}`] });
    const take = (userName: string) =>
      administrator.post(`/api/v1/apps/${app.id}/users`, {
        body: { id: administrator.userId, credentials: { userName } },
      });
    expect(await take(victim.profile.login)).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
    await good(take('of-one-app'));
  });

  test('security 20 d: is no id of a client or another user, and may be the own one', async () => {
    const [user, other] = [await newUser(), await newUser()];
    const app = await newAsserter(org, [user.id]);
    const client = await newServiceApp(org);
    for (const id of [client.id, other.id, app.id]) expect(await name(app, user, id)).toMatchObject(REFUSED);
    expect((await name(app, user, user.id)).status).toBe(200);
    expect(await subjectOf(app, user)).toBe(user.id);
  });

  test('is that of one user of an app, also where two are given it at once', async () => {
    const users = [await newUser(), await newUser(), await newUser()];
    const app = await newAsserter(
      org,
      users.map(({ id }) => id),
    );
    const answers = await Promise.all(users.map((user) => name(app, user, 'the-one')));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
    const subjects = await Promise.all(users.map((user) => subjectOf(app, user)));
    expect(new Set(subjects).size).toBe(users.length);
    expect(subjects).toContain('the-one');
  });

  test('is one and the same user at every app: who is called so second bears his id', async () => {
    const [first, second] = [await newUser(), await newUser()];
    const [one, two] = [await newAsserter(org, [first.id]), await newAsserter(org, [second.id])];
    await good(name(one, first, 'shared'));
    await good(name(two, second, 'shared'));
    expect(await subjectOf(one, first)).toBe('shared');
    expect(await subjectOf(two, second)).toBe(second.id);
    expect(await subjectOf(one, first)).toBe('shared');
    await good(name(one, first, 'another'));
    expect(await subjectOf(two, second)).toBe(second.id);
  });
});

describe('a login', () => {
  const create = (login: string) =>
    org.admin.post('/api/v1/users?activate=false', {
      body: { profile: { login, email: 'a@example.com', firstName: 'A', lastName: 'B' } },
    });

  test('is not what an app or a token calls somebody else, of a new user or a changed one', async () => {
    const [user, other] = [await newUser(), await newUser()];
    const app = await newAsserter(org, [user.id]);
    await good(name(app, user, 'Name@In.App'));
    const refused = { ...REFUSED, body: { errorCauses: [{ errorSummary: `login: ${TAKEN}` }] } };
    const rename = (login: string) => org.admin.post(`/api/v1/users/${other.id}`, { body: { profile: { login } } });
    for (const attempt of [create, rename]) expect(await attempt('name@in.app')).toMatchObject(refused);
    expect(await subjectOf(app, user)).toBe('Name@In.App');
    await good(name(app, user, null));
    for (const attempt of [create, rename]) expect(await attempt('name@in.app')).toMatchObject(refused);
    await good(org.admin.post(`/api/v1/users/${user.id}`, { body: { profile: { login: 'name@in.app' } } }));
  });

  test('is given or the name is, never both, where both are asked for at once', async () => {
    const users = await Promise.all(Array.from({ length: 4 }, newUser));
    const app = await newAsserter(
      org,
      users.map(({ id }) => id),
    );
    for (const [index, user] of users.entries()) {
      const wanted = `race-${index}@example.com`;
      const statuses = (await Promise.all([name(app, user, wanted), create(wanted)])).map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([200, 400]);
    }
  });

  test('that has the form of an id is no subject', async () => {
    const client = await newServiceApp(org);
    const user = await newUser();
    const text = `update users set login = $3, login_key = lower($3),
        profile = profile || jsonb_build_object('login', $3::text)
      where org_id = $1 and id = $2`;
    await service.database.pool.query(text, [org.id, user.id, client.id]);
    const app = await newAsserter(org, [user.id]);
    expect(await subjectOf(app, user)).toBe(user.id);
  });
});

test('names from before that are somebody else bear ids, and doctor tells them', async () => {
  const [user, twin, victim] = [await newUser(), await newUser(), await newUser()];
  const app = await newAsserter(org, [user.id, twin.id, victim.id]);
  const set = (who: User, text: string) =>
    service.database.pool.query(
      `update app_users set user_name = $4, user_name_key = lower($4)
        where org_id = $1 and app_id = $2 and user_id = $3`,
      [org.id, app.id, who.id, text],
    );
  await set(user, victim.profile.login);
  expect(await subjectOf(app, user)).toBe(user.id);
  expect(await subjectOf(app, victim)).toBe(victim.profile.login);
  const told = async () => (await findMisnamed(service.application.db, 100)).filter(({ appId }) => appId === app.id);
  expect(await told()).toEqual([expect.objectContaining({ userId: user.id })]);
  await set(user, 'twins');
  await set(twin, 'twins');
  for (const who of [user, twin]) expect(await subjectOf(app, who)).toBe(who.id);
  expect((await told()).map(({ userId }) => userId).toSorted()).toEqual([user.id, twin.id].toSorted());
});

test('doctor tells of templates that make names of what users write themselves', async () => {
  const other = await service.newOrg();
  const templates = {
    email: '${source.email}',
    mixed: 'x-${fn:substringBefore(source.secondEmail, "@")}-${user.nickName}-${source.mobilePhone}',
    login: '${source.login}',
    closed: '${source.employeeNumber}@acme',
    none: '${source.email}',
  };
  const ids = new Map<string, string>();
  for (const [label, template] of Object.entries(templates)) {
    const { id } = await newAsserter(other, []);
    const { body } = await other.admin.get(`/api/v1/apps/${id}`);
    body.credentials.userNameTemplate = { template, type: label === 'none' ? 'NONE' : 'CUSTOM' };
    await good(other.admin.put(`/api/v1/apps/${id}`, { body }));
    ids.set(id, label);
  }
  const found = await findSelfNamingApps(service.application.db, 1_000);
  const told = found.flatMap(({ appId, attributes }) => (ids.has(appId) ? [[ids.get(appId), ...attributes]] : []));
  expect(told.toSorted()).toEqual([
    ['email', 'email'],
    ['mixed', 'secondEmail', 'mobilePhone'],
  ]);
  expect(await findSelfNamingApps(service.application.db, 1)).toHaveLength(1);
});

test('an app of passwords may call several users the same', async () => {
  const users = [await newUser(), await newUser()];
  const settings = {
    app: { buttonField: 'b', passwordField: 'p', usernameField: 'u', url: 'https://example.com/login' },
  };
  const body = { name: 'template_swa', label: 'Shared', signOnMode: 'BROWSER_PLUGIN', settings };
  const app = await good(org.admin.post('/api/v1/apps', { body }));
  for (const { id } of users) {
    await good(org.admin.post(`/api/v1/apps/${app.id}/users`, { body: { id, credentials: { userName: 'office' } } }));
  }
});
