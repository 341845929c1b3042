import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assign, assignTo, bookmarkApp, newApp, newGroup, passwordApp } from '../support/app-assignments.ts';
import { APPS } from '../support/apps.ts';
import type { TestResponse } from '../support/client.ts';
import { everyoneOf } from '../support/groups.ts';
import { startTestService, type TestOrg, type TestService } from '../support/service.ts';
import { userPath } from '../support/users.ts';

type Body = TestResponse['body'];

let service: TestService;
let org: TestOrg;
beforeAll(async () => {
  service = await startTestService();
  org = service.org;
});
afterAll(() => service.close());

const links = (user: Body): Promise<TestResponse> => org.admin.get(`${userPath(user.id)}/appLinks`);
const appsIn = ({ body }: TestResponse): string[] => body.map((link: Body) => link.appInstanceId);

describe('GET /api/v1/users/{id}/appLinks', () => {
  test('links to what the user has, by himself and by groups', async () => {
    const user = await org.createUser();
    const [own, given, others] = [
      await newApp(org, bookmarkApp({ label: 'A' })),
      await newApp(org, bookmarkApp({ label: 'B' })),
      await newApp(org, bookmarkApp({ label: 'C' })),
    ];
    await assign(org, own, user);
    await assign(org, given, user);
    await assignTo(org, given, await newGroup(org, user));
    await assign(org, others, await org.createUser());
    const response = await links(user);
    expect(response.status).toBe(200);
    expect(appsIn(response)).toEqual([own.id, given.id]);
    expect(response.body[0]).toEqual({
      id: user.id,
      label: own.label,
      linkUrl: expect.stringMatching(new RegExp(`^${org.baseUrl}/home/bookmark/${own.id}/\\w+$`)),
      logoUrl: expect.stringMatching(/^https:/),
      appName: 'bookmark',
      appInstanceId: own.id,
      appAssignmentId: expect.stringMatching(/^0ua[0-9A-Za-z]{17}$/),
      credentialsSetup: false,
      hidden: false,
      sortOrder: 0,
    });
    expect(response.body[1].sortOrder).toBe(1);
  });

  test('what everyone has, all have; an inactive app has no links', async () => {
    const app = await newApp(org, bookmarkApp());
    await assignTo(org, app, await everyoneOf(org));
    const user = await org.createUser();
    expect(appsIn(await links(user))).toContain(app.id);
    await org.admin.post(`${APPS}/${app.id}/lifecycle/deactivate`);
    expect(appsIn(await links(user))).not.toContain(app.id);
    await org.admin.post(`${APPS}/${app.id}/lifecycle/activate`);
    expect(appsIn(await links(user))).toContain(app.id);
    await org.admin.del(`${APPS}/${app.id}/groups/${(await everyoneOf(org)).id}`);
  });

  test('marks what hides itself, and where a password is kept', async () => {
    const user = await org.createUser();
    const hidden = await newApp(org, bookmarkApp({ visibility: { hide: { web: true, iOS: false } } }));
    const secret = await newApp(org, passwordApp());
    await assign(org, hidden, user);
    await assign(org, secret, user, { credentials: { password: { value: 'kept' } } });
    const { body } = await links(user);
    expect(body.find((link: Body) => link.appInstanceId === hidden.id)).toMatchObject({ hidden: true });
    expect(body.find((link: Body) => link.appInstanceId === secret.id)).toMatchObject({
      hidden: false,
      credentialsSetup: true,
    });
  });

  test('an app that all have without an assignment is not among them', async () => {
    const app = await newApp(org, bookmarkApp({ settings: { ...bookmarkApp().settings, implicitAssignment: true } }));
    expect(appsIn(await links(await org.createUser()))).not.toContain(app.id);
  });

  test('a deactivated user has none', async () => {
    const user = await org.createUser();
    await assign(org, await newApp(org, bookmarkApp()), user);
    await org.admin.post(`${userPath(user.id)}/lifecycle/deactivate`);
    expect(await links(user)).toMatchObject({ status: 200, body: [] });
  });

  test('everybody may ask for the own ones, and for nobody else', async () => {
    const someone = await org.withRoles();
    const app = await newApp(org, bookmarkApp());
    await assign(org, app, { id: someone.userId });
    expect(appsIn(await someone.get('/api/v1/users/me/appLinks'))).toEqual([app.id]);
    expect(await someone.get(`/api/v1/users/${org.adminUserId}/appLinks`)).toMatchObject({ status: 403 });
  });

  test('by login too; 404 for nobody', async () => {
    const user = await org.createUser();
    expect(await org.admin.get(`${userPath(user.profile.login)}/appLinks`)).toMatchObject({ status: 200, body: [] });
    expect(await links({ id: '00u00000000000000000' })).toMatchObject({ status: 404 });
  });
});

describe('other lists', () => {
  test('apps of a group, and apps by user or group', async () => {
    const user = await org.createUser();
    const group = await newGroup(org, user);
    const [own, given] = [await newApp(org, bookmarkApp()), await newApp(org, bookmarkApp())];
    await assign(org, own, user);
    await assignTo(org, given, group);
    const ids = async (path: string) => (await org.admin.get(path)).body.map(({ id }: Body) => id);
    const filtered = (filter: string) => ids(`${APPS}?filter=${encodeURIComponent(filter)}`);
    expect(await ids(`/api/v1/groups/${group.id}/apps`)).toEqual([given.id]);
    expect((await filtered(`user.id eq "${user.id}"`)).toSorted()).toEqual([own.id, given.id].toSorted());
    expect(await filtered(`group.id eq "${group.id}"`)).toEqual([given.id]);
    expect(await filtered('user.id eq "00u00000000000000000"')).toEqual([]);
  });
});
