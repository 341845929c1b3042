import { describe, expect, test } from 'vitest';
import { APPS, createApp, serviceApp, webApp } from '../support/apps.ts';
import { addMember, createGroup, everyoneOf, groupPath, idsOf } from '../support/groups.ts';
import { assign, withTargets } from '../support/roles.ts';
import { useService } from '../support/use-service.ts';
import { linksOf, userPath } from '../support/users.ts';

const { service, org } = useService();

const FORBIDDEN = { status: 403, body: { errorCode: 'E0000006' } };
const UNKNOWN = { status: 404, body: { errorCode: 'E0000007' } };

const HOLDERS: readonly (readonly [string, () => Promise<string>])[] = [
  ['user', async () => userPath((await org.createUser()).id)],
  ['group', async () => groupPath((await createGroup(org)).id)],
  ['client', async () => `/oauth2/v1/clients/${(await createApp(org, serviceApp())).id}`],
];

describe.each(HOLDERS)('targets of a role of a %s', (_, newHolder) => {
  test('groups: added once, listed, removed but for the last', async () => {
    const [one, two] = [await createGroup(org), await createGroup(org)];
    const path = await newHolder();
    const { id } = await assign(org, path, 'USER_ADMIN');
    const targets = `${path}/roles/${id}/targets/groups`;
    expect((await org.admin.get(targets)).body).toEqual([]);
    for (const group of [one, two, two]) {
      expect(await org.admin.put(`${targets}/${group.id}`)).toMatchObject({ status: 204, text: '' });
    }
    const listed = await org.admin.get(targets);
    expect(idsOf(listed.body)).toEqual([one.id, two.id].toSorted());
    expect(listed.body).toContainEqual((await org.admin.get(groupPath(one.id))).body);
    const first = await org.admin.get(`${targets}?limit=1`);
    expect(first.body).toHaveLength(1);
    const second = await org.admin.get(linksOf(first)['next'] ?? '');
    expect(idsOf([...first.body, ...second.body])).toEqual(idsOf(listed.body));
    expect(await org.admin.del(`${targets}/${one.id}`)).toMatchObject({ status: 204 });
    expect(await org.admin.del(`${targets}/${one.id}`)).toMatchObject(UNKNOWN);
    const last = await org.admin.del(`${targets}/${two.id}`);
    expect(last).toMatchObject(FORBIDDEN);
    expect(last.body.errorCauses[0].errorSummary).toContain('last target');
    expect(idsOf((await org.admin.get(targets)).body)).toEqual([two.id]);
  });

  test('apps: by name and one by one; a name overrides its apps', async () => {
    const [one, two] = [await createApp(org, webApp()), await createApp(org, webApp())];
    const path = await newHolder();
    const { id } = await assign(org, path, 'APP_ADMIN');
    const targets = `${path}/roles/${id}/targets/catalog/apps`;
    for (const app of [one, two]) {
      expect(await org.admin.put(`${targets}/oidc_client/${app.id}`)).toMatchObject({ status: 204 });
    }
    expect((await org.admin.get(targets)).body).toMatchObject(
      [one, two]
        .toSorted((left, right) => (left.id < right.id ? -1 : 1))
        .map((app) => ({ name: app.label, status: 'ACTIVE', id: app.id })),
    );
    expect(await org.admin.put(`${targets}/bookmark`)).toMatchObject({ status: 204 });
    expect(await org.admin.put(`${targets}/oidc_client`)).toMatchObject({ status: 204 });
    expect((await org.admin.get(targets)).body).toMatchObject([{ name: 'bookmark' }, { name: 'oidc_client' }]);
    // The target that names the kind of app already includes this app.
    expect(await org.admin.put(`${targets}/oidc_client/${one.id}`)).toMatchObject({ status: 204 });
    expect((await org.admin.get(targets)).body).toHaveLength(2);
    expect(await org.admin.del(`${targets}/oidc_client/${one.id}`)).toMatchObject(UNKNOWN);
    expect(await org.admin.del(`${targets}/bookmark`)).toMatchObject({ status: 204 });
    expect(await org.admin.del(`${targets}/oidc_client`)).toMatchObject(FORBIDDEN);
  });

  test('what is not there, of another org, or under another name is unknown', async () => {
    const other = await service.newOrg();
    const path = await newHolder();
    const groups = `${path}/roles/${(await assign(org, path, 'HELP_DESK_ADMIN')).id}/targets/groups`;
    const apps = `${path}/roles/${(await assign(org, path, 'APP_ADMIN')).id}/targets/catalog/apps`;
    const [theirGroup, theirApp, app] = [await createGroup(other), await createApp(other), await createApp(org)];
    for (const target of [
      `${groups}/${theirGroup.id}`,
      `${groups}/nobody`,
      `${apps}/oidc_client/${theirApp.id}`,
      `${apps}/bookmark/${app.id}`,
      `${apps}/nothing`,
      `${path}/roles/nobody/targets/groups/${theirGroup.id}`,
    ]) {
      expect(await org.admin.put(target), target).toMatchObject(UNKNOWN);
      expect(await org.admin.del(target), target).toMatchObject(UNKNOWN);
    }
  });

  test('of the wrong kind, or of a role that takes none, are refused', async () => {
    const path = await newHolder();
    const group = await createGroup(org);
    const mismatch = { status: 400, body: { errorCode: 'E0000091' } };
    for (const type of ['APP_ADMIN', 'READ_ONLY_ADMIN'] as const) {
      const { id } = await assign(org, path, type);
      const groups = `${path}/roles/${id}/targets/groups`;
      expect(await org.admin.put(`${groups}/${group.id}`)).toMatchObject(mismatch);
      expect(await org.admin.get(groups)).toMatchObject(mismatch);
    }
    const { id } = await assign(org, path, 'USER_ADMIN');
    expect(await org.admin.put(`${path}/roles/${id}/targets/catalog/apps/bookmark`)).toMatchObject(mismatch);
  });

  test('are told before and after, from everything on', async () => {
    const path = await newHolder();
    const group = await createGroup(org);
    const { id } = await assign(org, path, 'HELP_DESK_ADMIN');
    await org.admin.put(`${path}/roles/${id}/targets/groups/${group.id}`);
    const holder = path.split('/').at(-1) ?? '';
    const events = await org.systemLog(`target.id eq "${holder}" and eventType co "privilege.grant"`);
    expect(events.at(-1)?.target[0].changeDetails).toEqual({
      from: { targets: null },
      to: { targets: [`GROUP:${group.id}`] },
    });
  });
});

test('all apps again', async () => {
  const { userId } = await withTargets(org, 'APP_ADMIN', { apps: ['bookmark'] });
  const [{ id }] = (await org.admin.get(`${userPath(userId)}/roles`)).body;
  const targets = `${userPath(userId)}/roles/${id}/targets/catalog/apps`;
  expect(await org.admin.put(targets)).toMatchObject({ status: 200, text: '' });
  expect((await org.admin.get(targets)).body).toEqual([]);
});

test('expand embeds targets in the list', async () => {
  const group = await createGroup(org);
  const { userId } = await withTargets(org, 'USER_ADMIN', { groups: [group.id] });
  await assign(org, userPath(userId), 'APP_ADMIN');
  const roles = `${userPath(userId)}/roles`;
  const byType = async (expand: string) => {
    const { body } = await org.admin.get(`${roles}?expand=${expand}`);
    return Object.fromEntries(body.map((role: { type: string; _embedded?: unknown }) => [role.type, role._embedded]));
  };
  expect(await byType('targets/groups')).toMatchObject({ USER_ADMIN: { targets: { groups: [{ id: group.id }] } } });
  expect(await byType('targets/catalog/apps')).toMatchObject({ APP_ADMIN: { targets: { catalog: { apps: [] } } } });
  expect(await byType('everything')).toEqual({ USER_ADMIN: undefined, APP_ADMIN: undefined });
});

describe('targets of a user by how the role is assigned', () => {
  test('own ones and those of groups, by the type or the id that it shares', async () => {
    const [own, byGroup, bearing] = [await createGroup(org), await createGroup(org), await createGroup(org)];
    const { userId } = await withTargets(org, 'HELP_DESK_ADMIN', { groups: [own.id] });
    const { id } = await assign(org, groupPath(bearing.id), 'HELP_DESK_ADMIN');
    await org.admin.put(`${groupPath(bearing.id)}/roles/${id}/targets/groups/${byGroup.id}`);
    await addMember(org, bearing.id, userId);
    const orn = (groupId: string) => `orn:svc:directory:${org.id}:groups:${groupId}`;
    for (const name of ['HELP_DESK_ADMIN', 'JBCUYUC7IRCVGS27IFCE2SKO']) {
      const targets = `${userPath(userId)}/roles/${name}/targets`;
      expect((await org.admin.get(targets)).body).toMatchObject([
        { assignmentType: 'GROUP', orn: orn(byGroup.id) },
        { assignmentType: 'USER', orn: orn(own.id), _links: { self: { href: `${org.baseUrl}${groupPath(own.id)}` } } },
      ]);
      expect((await org.admin.get(`${targets}?assignmentType=USER`)).body).toHaveLength(1);
      const first = await org.admin.get(`${targets}?limit=1`);
      expect((await org.admin.get(linksOf(first)['next'] ?? '')).body).toMatchObject([{ assignmentType: 'USER' }]);
    }
    expect(await org.admin.get(`${userPath(userId)}/roles/USER_ADMIN/targets`)).toMatchObject(UNKNOWN);
    expect(await org.admin.get(`${userPath(userId)}/roles/APP_ADMIN/targets?assignmentType=CLIENT`)).toMatchObject({
      status: 400,
    });
  });
});

describe('what a narrowed role reaches', () => {
  test('the users of its groups, in lists and alone', async () => {
    const [group, other] = [await createGroup(org), await createGroup(org)];
    const [inside, outside] = [await org.createUser(), await org.createUser()];
    await addMember(org, group.id, inside.id);
    await addMember(org, other.id, outside.id);
    const admin = await withTargets(org, 'USER_ADMIN', { groups: [group.id] });
    const seen = idsOf((await admin.get('/api/v1/users?limit=200')).body);
    expect(seen.toSorted()).toEqual([inside.id, admin.userId].toSorted());
    expect(await admin.get(userPath(inside.id))).toMatchObject({ status: 200 });
    expect(await admin.get(userPath(outside.id))).toMatchObject(FORBIDDEN);
    expect(await admin.get(userPath('00u00000000000000000'))).toMatchObject(FORBIDDEN);
    expect(await admin.get(userPath('nobody@example.com'))).toMatchObject(FORBIDDEN);
    expect(await admin.post(`${userPath(inside.id)}/lifecycle/suspend`)).toMatchObject({ status: 200 });
    expect(await admin.post(`${userPath(outside.id)}/lifecycle/suspend`)).toMatchObject(FORBIDDEN);
    expect(idsOf((await admin.get('/api/v1/groups')).body)).toEqual([group.id]);
    expect(await admin.get(groupPath(other.id))).toMatchObject(FORBIDDEN);
    expect(await admin.get('/api/v1/logs')).toMatchObject(FORBIDDEN);
    expect(await admin.get('/api/v1/meta/schemas/user/default')).toMatchObject({ status: 200 });
  });

  test('pages are full, and the last one has no next', async () => {
    const group = await createGroup(org);
    const members: string[] = [];
    for (let index = 0; index < 7; index += 1) {
      const user = await org.createUser();
      await org.createUser();
      await addMember(org, group.id, user.id);
      members.push(user.id);
    }
    const admin = await withTargets(org, 'HELP_DESK_ADMIN', { groups: [group.id] });
    const expected = [...members, admin.userId].toSorted();
    const seen: string[] = [];
    let path: string | undefined = '/api/v1/users?limit=4';
    const sizes: number[] = [];
    while (path !== undefined) {
      const page = await admin.get(path);
      sizes.push(page.body.length);
      seen.push(...idsOf(page.body));
      path = linksOf(page)['next'];
    }
    expect([seen, sizes]).toEqual([expected, [4, 4]]);
    const search = encodeURIComponent('status eq "ACTIVE" or status eq "PROVISIONED"');
    const found = await admin.get(`/api/v1/users?search=${search}&sortBy=profile.login&limit=200`);
    expect(idsOf(found.body).toSorted()).toEqual(expected);
    expect(idsOf((await admin.get('/api/v1/users?q=Ada&limit=200')).body).toSorted()).toEqual(members.toSorted());
  });

  test('new users only in its groups', async () => {
    const [group, other] = [await createGroup(org), await createGroup(org)];
    const admin = await withTargets(org, 'USER_ADMIN', { groups: [group.id] });
    const create = (groupIds: readonly string[]) => {
      const login = `new${groupIds.length}${Math.random()}@example.com`;
      const profile = { firstName: 'N', lastName: 'U', login, email: login };
      return admin.post('/api/v1/users', { body: { profile, ...(groupIds.length === 0 ? {} : { groupIds }) } });
    };
    expect(await create([])).toMatchObject(FORBIDDEN);
    expect(await create([other.id])).toMatchObject(FORBIDDEN);
    expect(await create([group.id, other.id])).toMatchObject(FORBIDDEN);
    const created = await create([group.id]);
    expect(created).toMatchObject({ status: 200 });
    expect(await admin.get(userPath(created.body.id))).toMatchObject({ status: 200 });
  });

  test('the group of everyone is everyone', async () => {
    const everyone = await everyoneOf(org);
    const admin = await withTargets(org, 'HELP_DESK_ADMIN', { groups: [everyone.id] });
    const user = await org.createUser();
    expect(await admin.get(userPath(user.id))).toMatchObject({ status: 200 });
    expect(idsOf((await admin.get('/api/v1/users?limit=200')).body)).toContain(user.id);
    expect(idsOf((await admin.get('/api/v1/groups')).body)).toEqual([everyone.id]);
  });

  test('nothing once its group is deleted, and never everything', async () => {
    const group = await createGroup(org);
    const user = await org.createUser();
    await addMember(org, group.id, user.id);
    const admin = await withTargets(org, 'USER_ADMIN', { groups: [group.id] });
    expect(await admin.get(userPath(user.id))).toMatchObject({ status: 200 });
    await org.admin.del(groupPath(group.id));
    expect(await admin.get(userPath(user.id))).toMatchObject(FORBIDDEN);
    expect(await admin.post(`${userPath(user.id)}/lifecycle/suspend`)).toMatchObject(FORBIDDEN);
    expect(idsOf((await admin.get('/api/v1/users')).body)).toEqual([admin.userId]);
    expect(await admin.get('/api/v1/groups')).toMatchObject(FORBIDDEN);
  });

  test('its apps, by id and by name', async () => {
    const [web, bookmark] = [
      await createApp(org, webApp()),
      (
        await org.admin.post(APPS, {
          body: {
            name: 'bookmark',
            label: 'Mark',
            signOnMode: 'BOOKMARK',
            settings: { app: { url: 'https://a.example', requestIntegration: false } },
          },
        })
      ).body,
    ];
    const byName = await withTargets(org, 'APP_ADMIN', { apps: ['bookmark'] });
    const byId = await withTargets(org, 'APP_ADMIN', { apps: [`oidc_client/${web.id}`] });
    expect(new Set(idsOf((await byName.get(APPS)).body))).toEqual(new Set([bookmark.id]));
    expect(idsOf((await byId.get(APPS)).body)).toEqual([web.id]);
    expect(await byName.get(`${APPS}/${web.id}`)).toMatchObject(FORBIDDEN);
    expect(await byId.get(`${APPS}/${bookmark.id}`)).toMatchObject(FORBIDDEN);
    expect(await byId.post(`${APPS}/${web.id}/lifecycle/deactivate`)).toMatchObject({ status: 200 });
    expect(await byName.post(`${APPS}/${web.id}/lifecycle/activate`)).toMatchObject(FORBIDDEN);
    expect(await byId.post(APPS, { body: webApp() })).toMatchObject(FORBIDDEN);
  });
});
