import { describe, expect, test } from 'vitest';
import {
  appUser,
  appUsers,
  assign,
  assignTo,
  bookmarkApp,
  idsOf,
  join,
  newApp,
  newGroup,
} from '../support/app-assignments.ts';
import type { TestResponse } from '../support/client.ts';
import { everyoneOf } from '../support/groups.ts';
import { useService } from '../support/use-service.ts';
import { followPages, linksOf, userPath } from '../support/users.ts';

type Body = TestResponse['body'];

const { service, org } = useService();

const newUsers = async (count: number): Promise<Body[]> => {
  const users: Body[] = [];
  for (let made = 0; made < count; made += 1) users.push(await org.createUser());
  return users.toSorted((one, other) => (one.id < other.id ? -1 : 1));
};

describe('GET /api/v1/apps/{appId}/users', () => {
  test('shows who has the app by himself and by groups, each once, by id', async () => {
    const app = await newApp(org, bookmarkApp());
    const users = await newUsers(7);
    const [assigned, both, ...members] = users;
    await assign(org, app, assigned);
    await assign(org, app, both);
    const one = await newGroup(org, both, ...members.slice(0, 3));
    const other = await newGroup(org, ...members.slice(2));
    await assignTo(org, app, one);
    await assignTo(org, app, other);
    const listed = await org.admin.get(appUsers(app));
    expect(idsOf(listed)).toEqual(users.map(({ id }) => id));
    expect(listed.body.map(({ scope }: Body) => scope)).toEqual(['USER', 'USER', ...members.map(() => 'GROUP')]);
    expect(listed.body[2]._links.group.href).toBe(`${org.baseUrl}/api/v1/groups/${one.id}`);
    expect(linksOf(listed)).toEqual({ self: `${appUsers(app)}?limit=50` });
  });

  test('in pages, forwards and backwards, and none of them empty', async () => {
    const app = await newApp(org, bookmarkApp());
    const users = await newUsers(6);
    await assign(org, app, users[1]);
    await assignTo(org, app, await newGroup(org, ...users.slice(0, 4)));
    await assignTo(org, app, await newGroup(org, ...users.slice(2)));
    const forwards = await followPages(org.admin, `${appUsers(app)}?limit=2`);
    expect(forwards.users.map(({ id }) => id)).toEqual(users.map(({ id }) => id));
    expect(forwards.sizes).toEqual([2, 2, 2]);
    const backwards = await followPages(org.admin, linksOf(forwards.last)['prev'] ?? '', { relation: 'prev' });
    expect(backwards.users.map(({ id }) => id)).toEqual([2, 3, 0, 1].map((index) => users[index].id));
  });

  test('everyone: nobody has a row, and deactivated users are left out', async () => {
    const own = await service.newOrg();
    const app = await newApp(own, bookmarkApp());
    const user = await own.createUser();
    const gone = await own.createUser();
    await assignTo(own, app, await everyoneOf(own));
    await own.admin.post(`${userPath(gone.id)}/lifecycle/deactivate`);
    const listed = await own.admin.get(appUsers(app));
    expect(idsOf(listed)).toEqual([own.adminUserId, user.id].toSorted());
    const { rows } = await service.database.pool.query('select from app_users where org_id = $1', [own.id]);
    expect(rows).toHaveLength(0);
    expect(await own.admin.get(appUser(app, gone))).toMatchObject({ status: 404 });
    const late = await own.createUser();
    expect(idsOf(await own.admin.get(appUsers(app)))).toContain(late.id);
  });

  test('expand=user embeds the user', async () => {
    const app = await newApp(org, bookmarkApp());
    const user = await org.createUser();
    await assign(org, app, user);
    const embedded = { _embedded: { user: { id: user.id, profile: user.profile, _links: { self: {} } } } };
    expect(await org.admin.get(`${appUsers(app)}?expand=user`)).toMatchObject({ body: [embedded] });
    expect(await org.admin.get(`${appUser(app, user)}?expand=user`)).toMatchObject({ body: embedded });
    expect((await org.admin.get(appUser(app, user))).body).not.toHaveProperty('_embedded');
    expect((await org.admin.get(`${appUsers(app)}?expand=group`)).body[0]).not.toHaveProperty('_embedded');
  });

  test('q finds by the beginning of login, email, names and the name in the app', async () => {
    const app = await newApp(org, bookmarkApp());
    const grace = await org.createUser({ profile: { firstName: 'Grace', lastName: 'Hopper' } });
    const alan = await org.createUser({ profile: { firstName: 'Alan', lastName: 'Turing' } });
    const stranger = await org.createUser({ profile: { firstName: 'Grace', lastName: 'Kelly' } });
    await assign(org, app, grace, { credentials: { userName: 'AmazingG' } });
    await assignTo(org, app, await newGroup(org, alan));
    const found = async (q: string) => idsOf(await org.admin.get(`${appUsers(app)}?q=${encodeURIComponent(q)}`));
    expect(await found('gra')).toEqual([grace.id]);
    expect(await found('TUR')).toEqual([alan.id]);
    expect(await found('amazing')).toEqual([grace.id]);
    expect(await found(alan.profile.login)).toEqual([alan.id]);
    expect(await found('kel')).toEqual([]);
    expect(await found('%')).toEqual([]);
    await assign(org, app, stranger);
    const pages = await followPages(org.admin, `${appUsers(app)}?q=grace&limit=1`);
    expect(pages.users.map(({ id }) => id)).toEqual([grace.id, stranger.id].toSorted());
    expect(pages.sizes).toEqual([1, 1]);
  });

  test('a page that somebody leaves meanwhile goes on where it stood', async () => {
    const app = await newApp(org, bookmarkApp());
    const users = await newUsers(5);
    for (const user of users) await assign(org, app, user);
    const first = await org.admin.get(`${appUsers(app)}?limit=2`);
    await org.admin.del(appUser(app, users[1]));
    const { next = '' } = linksOf(first);
    expect(idsOf(await org.admin.get(next))).toEqual([users[2].id, users[3].id]);
  });

  test.each(['0', '-1', 'x', '1e9'])('400 for limit=%s', async (limit) => {
    const app = await newApp(org, bookmarkApp());
    expect(await org.admin.get(`${appUsers(app)}?limit=${limit}`)).toMatchObject({ status: 400 });
  });

  test('a cursor of another app is none of this one', async () => {
    const [one, other] = [await newApp(org, bookmarkApp()), await newApp(org, bookmarkApp())];
    for (const user of await newUsers(2)) {
      await assign(org, one, user);
      await assign(org, other, user);
    }
    const { next = '' } = linksOf(await org.admin.get(`${appUsers(one)}?limit=1`));
    expect(await org.admin.get(next.replace(one.id, other.id))).toMatchObject({ status: 400 });
  });

  test('404 for an unknown app', async () => {
    expect(await org.admin.get(appUsers({ id: '0oa00000000000000000' }))).toMatchObject({ status: 404 });
  });

  test('who joins a group has its apps at once, who leaves has them no more', async () => {
    const app = await newApp(org, bookmarkApp());
    const user = await org.createUser();
    const group = await newGroup(org);
    await assignTo(org, app, group);
    expect(await org.admin.get(appUser(app, user))).toMatchObject({ status: 404 });
    await join(org, group, user);
    expect(await org.admin.get(appUser(app, user))).toMatchObject({ status: 200, body: { scope: 'GROUP' } });
  });
});
