import { describe, expect, test } from 'vitest';
import {
  appGroup,
  appGroups,
  appUser,
  assign,
  assignTo,
  bookmarkApp,
  idsOf,
  newApp,
  newGroup,
  toldBy,
} from '../support/app-assignments.ts';
import { invalidField, webApp } from '../support/apps.ts';
import type { TestResponse } from '../support/client.ts';
import { everyoneOf } from '../support/groups.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf, followPages } from '../support/users.ts';

type Body = TestResponse['body'];

const { org } = useService();

const NOT_FOUND = { status: 404, body: { errorCode: 'E0000007' } };

const priorities = async (app: Body): Promise<[string, number][]> =>
  (await org.admin.get(appGroups(app))).body.map(({ id, priority }: Body) => [id, priority]);

describe('PUT /api/v1/apps/{appId}/groups/{groupId}', () => {
  test('assigns without a body, behind the others', async () => {
    const app = await newApp(org, bookmarkApp());
    const [one, other] = [await newGroup(org), await newGroup(org)];
    const response = await assignTo(org, app, one);
    expect(response).toMatchObject({
      status: 200,
      body: {
        id: one.id,
        priority: 0,
        profile: {},
        _links: {
          app: { href: `${org.baseUrl}/api/v1/apps/${app.id}` },
          self: { href: `${org.baseUrl}${appGroup(app, one)}` },
          group: { href: `${org.baseUrl}/api/v1/groups/${one.id}` },
        },
      },
    });
    expect(await assignTo(org, app, other)).toMatchObject({ body: { priority: 1 } });
    expect(await org.admin.get(appGroup(app, one))).toMatchObject({ status: 200, body: response.body });
  });

  test('a taken priority moves who stands there, and those without a gap behind', async () => {
    const app = await newApp(org, bookmarkApp());
    const groups: Body[] = [];
    for (const priority of [0, 1, 2, 5]) {
      const group = await newGroup(org);
      await assignTo(org, app, group, { priority });
      groups.push(group);
    }
    const late = await newGroup(org);
    expect(await assignTo(org, app, late, { priority: 1 })).toMatchObject({ body: { priority: 1 } });
    const [a, b, c, d] = groups.map(({ id }) => id);
    expect(await priorities(app)).toEqual([
      [a, 0],
      [late.id, 1],
      [b, 2],
      [c, 3],
      [d, 5],
    ]);
    await assignTo(org, app, { id: c }, { priority: 0 });
    expect(await priorities(app)).toEqual([
      [c, 0],
      [a, 1],
      [late.id, 2],
      [b, 3],
      [d, 5],
    ]);
  });

  test('priority and profile that are left out stay', async () => {
    const app = await newApp(org, webApp());
    const group = await newGroup(org);
    await assignTo(org, app, group, { priority: 7, profile: { nickname: 'team' } });
    expect(await assignTo(org, app, group)).toMatchObject({ body: { priority: 7, profile: { nickname: 'team' } } });
    const replaced = await assignTo(org, app, group, { profile: { website: 'https://a.example' } });
    expect(replaced.body).toMatchObject({ priority: 7, profile: { website: 'https://a.example' } });
    expect(replaced.body.profile).not.toHaveProperty('nickname');
  });

  test('tells the assignment, each member who gained the app, and a change once', async () => {
    const app = await newApp(org, bookmarkApp());
    const [member, assigned, elsewhere] = [await org.createUser(), await org.createUser(), await org.createUser()];
    await assign(org, app, assigned);
    const group = await newGroup(org, member, assigned);
    await assignTo(org, app, await newGroup(org, elsewhere));
    const made = await assignTo(org, app, group);
    expect(await eventsOf(org, made)).toMatchObject([
      {
        eventType: 'group.application_assignment.add',
        target: [
          { id: group.id, type: 'UserGroup', changeDetails: { from: {}, to: { priority: 1 } } },
          { id: app.id, type: 'AppInstance' },
        ],
        debugContext: { debugData: { usersChanged: '1' } },
      },
      { eventType: 'application.user_membership.add', target: [{}, { id: app.id }, { id: member.id }] },
    ]);
    const changed = await assignTo(org, app, group, { priority: 9 });
    expect(await eventsOf(org, changed)).toMatchObject([
      {
        eventType: 'group.application_assignment.update',
        target: [{ changeDetails: { from: { priority: 1 }, to: { priority: 9 } } }, {}],
      },
    ]);
    expect(await eventsOf(org, await assignTo(org, app, group, { priority: 9 }))).toEqual([]);
  });

  test('everyone gets an app that way', async () => {
    const app = await newApp(org, bookmarkApp());
    const user = await org.createUser();
    const told = await toldBy(org, await assignTo(org, app, await everyoneOf(org)));
    expect(told).toContainEqual({ what: 'add', app: app.id, user: user.id });
    expect(await org.admin.get(appUser(app, user))).toMatchObject({ status: 200, body: { scope: 'GROUP' } });
  });

  test.each([
    ['a negative priority', { priority: -1 }, 'priority'],
    ['a broken one', { priority: 0.5 }, 'priority'],
    ['one too high', { priority: 1_000_001 }, 'priority'],
    ['an attribute that the app does not have', { profile: { shoeSize: 9 } }, 'profile'],
    ['a value of another type', { profile: { nickname: true } }, 'profile'],
  ])('400 for %s', async (_, body, field) => {
    const app = await newApp(org, webApp());
    const group = await newGroup(org);
    expect(await assignTo(org, app, group, body)).toMatchObject(invalidField(field));
    expect(await org.admin.get(appGroup(app, group))).toMatchObject(NOT_FOUND);
  });

  test('400 for a priority that is no number', async () => {
    const app = await newApp(org, bookmarkApp());
    expect(await assignTo(org, app, await newGroup(org), { priority: '1' })).toMatchObject({ status: 400 });
  });

  test('404 for an unknown app or group', async () => {
    const app = await newApp(org, bookmarkApp());
    const group = await newGroup(org);
    expect(await assignTo(org, { id: '0oa00000000000000000' }, group)).toMatchObject(NOT_FOUND);
    expect(await assignTo(org, app, { id: '00g00000000000000000' })).toMatchObject(NOT_FOUND);
  });
});

describe('GET /api/v1/apps/{appId}/groups', () => {
  test('in pages by priority, forwards', async () => {
    const app = await newApp(org, bookmarkApp());
    const ids: string[] = [];
    for (const priority of [4, 3, 2, 1, 0]) {
      const group = await newGroup(org);
      await assignTo(org, app, group, { priority });
      ids.unshift(group.id);
    }
    const pages = await followPages(org.admin, `${appGroups(app)}?limit=2`);
    expect(pages.users.map(({ id }) => id)).toEqual(ids);
    expect(pages.sizes).toEqual([2, 2, 1]);
  });

  test('q finds groups whose name begins so, whatever the case', async () => {
    const app = await newApp(org, bookmarkApp());
    const made = await org.admin.post('/api/v1/groups', { body: { profile: { name: 'Searched for' } } });
    await assignTo(org, app, made.body);
    await assignTo(org, app, await newGroup(org));
    expect(idsOf(await org.admin.get(`${appGroups(app)}?q=sEARCHED`))).toEqual([made.body.id]);
    expect(idsOf(await org.admin.get(`${appGroups(app)}?q=for`))).toEqual([]);
  });

  test('expand embeds the group, or where the profile comes from', async () => {
    const app = await newApp(org, webApp());
    const group = await newGroup(org);
    await assignTo(org, app, group, { profile: { nickname: 'team' } });
    const embedded = { _embedded: { group: { id: group.id, profile: { name: group.profile.name } } } };
    expect(await org.admin.get(`${appGroups(app)}?expand=group`)).toMatchObject({ body: [embedded] });
    expect(await org.admin.get(`${appGroup(app, group)}?expand=group`)).toMatchObject({ body: embedded });
    const metadata = { _embedded: { metadata: { credentials: {}, profile: { nickname: { source: {} } } } } };
    expect(await org.admin.get(`${appGroup(app, group)}?expand=metadata`)).toMatchObject({ body: metadata });
    expect((await org.admin.get(`${appGroups(app)}?expand=users`)).body[0]).not.toHaveProperty('_embedded');
  });

  test('404 for an unknown app, and for a group that it is not assigned to', async () => {
    const app = await newApp(org, bookmarkApp());
    expect(await org.admin.get(appGroups({ id: '0oa00000000000000000' }))).toMatchObject(NOT_FOUND);
    expect(await org.admin.get(appGroup(app, await newGroup(org)))).toMatchObject(NOT_FOUND);
  });
});

describe('PATCH /api/v1/apps/{appId}/groups/{groupId}', () => {
  const patch = (app: Body, group: Body, body?: unknown) =>
    org.admin.send('PATCH', appGroup(app, group), body === undefined ? {} : { body });

  test('changes single attributes, or the priority', async () => {
    const app = await newApp(org, webApp());
    const group = await newGroup(org);
    await assignTo(org, app, group, { profile: { nickname: 'team', website: 'https://a.example' } });
    const operations = [
      { op: 'replace', path: '/profile/nickname', value: 'crew' },
      { op: 'remove', path: '/profile/website' },
      { op: 'replace', path: '/priority', value: 3 },
    ];
    const response = await patch(app, group, operations);
    expect(response).toMatchObject({ status: 200, body: { id: group.id, priority: 3 } });
    expect(response.body.profile).toEqual({ nickname: 'crew' });
    expect(await eventsOf(org, response)).toMatchObject([{ eventType: 'group.application_assignment.update' }]);
    expect(await patch(app, group, [])).toMatchObject({ status: 200, body: response.body });
  });

  test('all operations or none', async () => {
    const app = await newApp(org, webApp());
    const group = await newGroup(org);
    await assignTo(org, app, group, { profile: { nickname: 'team' } });
    const operations = [
      { op: 'replace', path: '/profile/nickname', value: 'crew' },
      { op: 'add', path: '/profile/website', value: 'https://a.example' },
    ];
    expect(await patch(app, group, operations)).toMatchObject(invalidField('operations'));
    const unknown = [{ op: 'replace', path: '/profile/shoeSize', value: 9 }];
    expect(await patch(app, group, unknown)).toMatchObject(invalidField('profile'));
    expect(await org.admin.get(appGroup(app, group))).toMatchObject({ body: { profile: { nickname: 'team' } } });
  });

  test('404 where the app is not assigned to the group', async () => {
    const app = await newApp(org, bookmarkApp());
    expect(await patch(app, await newGroup(org), [])).toMatchObject(NOT_FOUND);
  });

  test('400 for what is no list', async () => {
    const app = await newApp(org, bookmarkApp());
    const group = await newGroup(org);
    await assignTo(org, app, group);
    expect(await patch(app, group, { op: 'remove', path: '/profile/a' })).toMatchObject({ status: 400 });
  });
});

describe('DELETE /api/v1/apps/{appId}/groups/{groupId}', () => {
  test('takes the app from who has it by this group alone', async () => {
    const app = await newApp(org, bookmarkApp());
    const [alone, assigned, elsewhere] = [await org.createUser(), await org.createUser(), await org.createUser()];
    await assign(org, app, assigned);
    const group = await newGroup(org, alone, assigned, elsewhere);
    await assignTo(org, app, group);
    await assignTo(org, app, await newGroup(org, elsewhere));
    const response = await org.admin.del(appGroup(app, group));
    expect(response).toMatchObject({ status: 204 });
    expect(await eventsOf(org, response)).toMatchObject([
      {
        eventType: 'group.application_assignment.remove',
        target: [{ id: group.id, changeDetails: { from: { priority: 0 }, to: {} } }, { id: app.id }],
      },
      { eventType: 'application.user_membership.remove', target: [{}, { id: app.id }, { id: alone.id }] },
    ]);
    const statuses = await Promise.all(
      [alone, assigned, elsewhere].map(async (user) => (await org.admin.get(appUser(app, user))).status),
    );
    expect(statuses).toEqual([404, 200, 200]);
    expect(await org.admin.del(appGroup(app, group))).toMatchObject(NOT_FOUND);
  });

  test('what was kept of a member goes with it', async () => {
    const app = await newApp(org, webApp());
    const user = await org.createUser();
    const group = await newGroup(org, user);
    await assignTo(org, app, group);
    await org.admin.post(appUser(app, user), { body: { profile: { nickname: 'kept' } } });
    await org.admin.del(appGroup(app, group));
    await assignTo(org, app, group);
    expect(await org.admin.get(appUser(app, user))).toMatchObject({ body: { profile: { nickname: null } } });
  });
});
