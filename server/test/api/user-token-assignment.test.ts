import { describe, expect, test } from 'vitest';
import { join, leave, newGroup } from '../support/app-assignments.ts';
import { assign } from '../support/authorization.ts';
import { beforeTests } from '../support/before-tests.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import { everyoneOf } from '../support/groups.ts';
import { useService } from '../support/use-service.ts';
import { newCode, newUserApp, redeem, refresh, requestTokens, type UserApp } from '../support/user-tokens.ts';

const { service, org } = useService({ isShared: false });
const server = beforeTests(() => newCustomServer(org, { grantTypes: ['authorization_code'] }));

interface Place {
  readonly serverId: string;
  readonly path: string;
  readonly scope: string;
}

const placeOfOrg = (): Place => ({ serverId: '', path: '/oauth2/v1', scope: 'svc.users.read' });

const places: readonly [string, () => Place][] = [
  ['the org’s own server', placeOfOrg],
  ['a custom server', () => ({ serverId: server.id, path: `${server.oauth}/v1`, scope: 'orders.read' })],
];

/** `held` lets cached data expire and returns which tokens are still valid, and the status of a userinfo request. */
async function newTokens(app: UserApp, { path, scope, serverId }: Place) {
  const code = await newCode(service, org, app, { serverId, scopes: ['openid', 'offline_access', scope] });
  const { body } = await redeem(org, app, code, {}, { path: `${path}/token` });
  const isActive = async (token: string): Promise<boolean> =>
    (await requestTokens(org, app, { token }, { path: `${path}/introspect` })).body.active;
  const held = async () => {
    service.clock.advance(1_100);
    const headers = { authorization: `Bearer ${body.access_token}` };
    return {
      access: await isActive(body.access_token),
      refresh: await isActive(body.refresh_token),
      id: await isActive(body.id_token),
      userInfo: (await org.anonymous.get(`${path}/userinfo`, { headers })).status,
    };
  };
  return { accessToken: body.access_token as string, refreshToken: body.refresh_token as string, held };
}

const HOLDS = { access: true, refresh: true, id: true, userInfo: 200 };
const ENDED = { access: false, refresh: false, id: false, userInfo: 401 };

const newApp = () => newUserApp(org, { scopes: ['svc.users.read'] });
const assignGroup = (app: UserApp, groupId: string) => org.admin.put(`/api/v1/apps/${app.id}/groups/${groupId}`);
const unassign = (app: UserApp) => org.admin.del(`/api/v1/apps/${app.id}/users/${app.userId}`);
const unassignGroup = (app: UserApp, groupId: string) => org.admin.del(`/api/v1/apps/${app.id}/groups/${groupId}`);

describe.each(places)('at %s tokens of a user', (_, placeOf) => {
  test('hold as long as the user has the app', async () => {
    const app = await newApp();
    const { held } = await newTokens(app, placeOf());
    expect(await held()).toEqual(HOLDS);
    await unassign(app);
    expect(await held()).toEqual(ENDED);
  });

  test('hold by a group as well, until the user leaves it', async () => {
    const app = await newApp();
    const user = { id: app.userId };
    const group = await newGroup(org);
    await join(org, group, user);
    await assignGroup(app, group.id);
    await unassign(app);
    const { held } = await newTokens(app, placeOf());
    expect(await held()).toEqual(HOLDS);
    await leave(org, group, user);
    expect(await held()).toEqual(ENDED);
  });

  test('hold by the group of everyone, until it loses the app', async () => {
    const app = await newApp();
    const everyone = await everyoneOf(org);
    await assignGroup(app, everyone.id);
    await unassign(app);
    const { held } = await newTokens(app, placeOf());
    expect(await held()).toEqual(HOLDS);
    await unassignGroup(app, everyone.id);
    expect(await held()).toEqual(ENDED);
  });
});

/** A way to give an app to a user. The returned functions take the app away and give it back. */
type Way = (app: UserApp) => Promise<{ take: () => Promise<unknown>; give: () => Promise<unknown> }>;
const byHimself: Way = async (app) => ({
  take: () => unassign(app),
  give: () => assign(org, app, app.userId),
});
const byMembership: Way = async (app) => {
  const group = await newGroup(org, { id: app.userId });
  await assignGroup(app, group.id);
  await unassign(app);
  return { take: () => leave(org, group, { id: app.userId }), give: () => join(org, group, { id: app.userId }) };
};
const byAGroup: Way = async (app) => {
  const group = await newGroup(org, { id: app.userId });
  await assignGroup(app, group.id);
  await unassign(app);
  return { take: () => unassignGroup(app, group.id), give: () => assignGroup(app, group.id) };
};
const asEverybody: Way = async (app) => {
  const { id } = await everyoneOf(org);
  await assignGroup(app, id);
  await unassign(app);
  return { take: () => unassignGroup(app, id), give: () => assignGroup(app, id) };
};
const implicitly: Way = async (app) => {
  const path = `/api/v1/apps/${app.id}`;
  const set = async (implicitAssignment: boolean) => {
    const { body } = await org.admin.get(path);
    const settings = { ...body.settings, implicitAssignment };
    expect((await org.admin.put(path, { body: { ...body, settings } })).status).toBe(200);
  };
  await set(true);
  await unassign(app);
  return { take: () => set(false), give: () => set(true) };
};

describe('what an app was given for a user stays dead when the user gets the app back', () => {
  const ways: readonly (readonly [string, Way])[] = [
    ['by an assignment', byHimself],
    ['by membership of a group', byMembership],
    ['by the assignment of a group', byAGroup],
    ['by that of everyone', asEverybody],
    ['as an app of everyone', implicitly],
  ];

  test.each(ways)('%s', async (_, way) => {
    const app = await newApp();
    const { give, take } = await way(app);
    const { held, refreshToken } = await newTokens(app, placeOfOrg());
    const code = await newCode(service, org, app);
    expect(await held()).toEqual(HOLDS);
    await take();
    await give();
    expect(await held()).toMatchObject({ access: false, refresh: false, userInfo: 401 });
    const list = `/api/v1/users/${app.userId}/clients/${app.id}/tokens`;
    expect((await org.admin.get(list)).body).toEqual([]);
    expect((await refresh(org, app, refreshToken)).body).toMatchObject({ error: 'invalid_grant' });
    expect((await redeem(org, app, code)).body).toMatchObject({ error: 'invalid_grant' });
    const { held: anew } = await newTokens(app, placeOfOrg());
    expect(await anew()).toEqual(HOLDS);
    await take();
  });

  test('who has it another way meanwhile has never lost it', async () => {
    const app = await newApp();
    const { give, take } = await byMembership(app);
    const { held, refreshToken } = await newTokens(app, placeOfOrg());
    await assign(org, app, app.userId);
    await take();
    await give();
    expect(await held()).toMatchObject(HOLDS);
    expect((await refresh(org, app, refreshToken)).status).toBe(200);
  });
});

test('who has lost the app opens nothing of the API any more', async () => {
  const app = await newApp();
  const roles = `/api/v1/users/${app.userId}/roles`;
  expect((await org.admin.post(roles, { body: { type: 'READ_ONLY_ADMIN' } })).status).toBe(201);
  const { accessToken } = await newTokens(app, placeOfOrg());
  const call = async () => {
    service.clock.advance(1_100);
    return (await org.anonymous.get('/api/v1/users', { headers: { authorization: `Bearer ${accessToken}` } })).status;
  };
  expect(await call()).toBe(200);
  await unassign(app);
  expect(await call()).toBe(401);
});

test('the list of a user’s refresh tokens leaves out those of apps that the user has lost', async () => {
  const app = await newApp();
  await newTokens(app, placeOfOrg());
  const path = `/api/v1/users/${app.userId}/clients/${app.id}/tokens`;
  expect((await org.admin.get(path)).body).toHaveLength(1);
  await unassign(app);
  expect((await org.admin.get(path)).body).toEqual([]);
});
