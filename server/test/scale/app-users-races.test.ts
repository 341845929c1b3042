import { describe, expect, test } from 'vitest';
import {
  appGroup,
  appGroups,
  appUser,
  appUsers,
  assign,
  assignTo,
  bookmarkApp,
  idsOf,
  join,
  leave,
  newApp,
  newGroup,
} from '../support/app-assignments.ts';
import type { TestResponse } from '../support/client.ts';
import { useService } from '../support/use-service.ts';
import { userPath } from '../support/users.ts';

type Body = TestResponse['body'];

const { service, org } = useService();

const statusesOf = async (calls: readonly Promise<TestResponse>[]): Promise<number[]> =>
  (await Promise.all(calls)).map(({ status }) => status).toSorted((one, other) => one - other);

const times = <Result>(count: number, make: (index: number) => Result): Result[] =>
  Array.from({ length: count }, (_, index) => make(index));

const told = async (eventType: string, user: Body): Promise<number> =>
  (await org.systemLog(`eventType eq "${eventType}" and target.id eq "${user.id}"`)).length;

describe('at once', () => {
  test('of many who assign one user one does, the others are told so', async () => {
    const [app, user] = [await newApp(org, bookmarkApp()), await org.createUser()];
    expect(await statusesOf(times(8, () => assign(org, app, user)))).toEqual([200, ...times(7, () => 409)]);
    expect(await told('application.user_membership.add', user)).toBe(1);
  });

  test('of many who take it away one does', async () => {
    const [app, user] = [await newApp(org, bookmarkApp()), await org.createUser()];
    await assign(org, app, user);
    const calls = times(8, () => org.admin.del(appUser(app, user)));
    expect(await statusesOf(calls)).toEqual([204, ...times(7, () => 404)]);
    expect(await told('application.user_membership.remove', user)).toBe(1);
  });

  test('changes of different attributes are all kept', async () => {
    const [app, user] = [await newApp(org, bookmarkApp()), await org.createUser()];
    await assign(org, app, user);
    const bodies = times(6, (index) => ({ credentials: { userName: `name${index}` } }));
    expect(await statusesOf(bodies.map((body) => org.admin.post(appUser(app, user), { body })))).toEqual(
      times(6, () => 200),
    );
    const events = await org.systemLog(`eventType eq "application.user_membership.change_username"`);
    const own = events.filter(({ target }) => target[2].id === user.id).map(({ target }) => target[0].changeDetails);
    // Each change must start from the result of the previous one. Otherwise, a change was lost.
    const [first] = own;
    let name = first.from.userName;
    for (const { from, to } of own) {
      expect(from.userName).toBe(name);
      name = to.userName;
    }
    const { body } = await org.admin.get(appUser(app, user));
    expect(body.credentials.userName).toBe(name);
  });

  test('groups that want one priority get one each', async () => {
    const app = await newApp(org, bookmarkApp());
    const groups: Body[] = [];
    for (let made = 0; made < 6; made += 1) groups.push(await newGroup(org));
    expect(await statusesOf(groups.map((group) => assignTo(org, app, group, { priority: 0 })))).toEqual(
      times(6, () => 200),
    );
    const { body } = await org.admin.get(appGroups(app));
    expect(body.map(({ priority }: Body) => priority)).toEqual(times(6, (index) => index));
  });

  test('one group is assigned once', async () => {
    const app = await newApp(org, bookmarkApp());
    const user = await org.createUser();
    const group = await newGroup(org, user);
    expect(await statusesOf(times(6, () => assignTo(org, app, group)))).toEqual(times(6, () => 200));
    expect(await told('group.application_assignment.add', group)).toBe(1);
    expect(await told('application.user_membership.add', user)).toBe(1);
  });

  test('a user who is deactivated meanwhile has no app in the end', async () => {
    const users: Body[] = [];
    const app = await newApp(org, bookmarkApp());
    for (let made = 0; made < 5; made += 1) users.push(await org.createUser());
    await Promise.all(
      users.flatMap((user) => [assign(org, app, user), org.admin.post(`${userPath(user.id)}/lifecycle/deactivate`)]),
    );
    expect(await org.admin.get(appUsers(app))).toMatchObject({ status: 200, body: [] });
    const { rows } = await service.database.pool.query('select from app_users where app_id = $1', [app.id]);
    expect(rows).toHaveLength(0);
    for (const user of users) {
      const added = await told('application.user_membership.add', user);
      expect(await told('application.user_membership.remove', user)).toBe(added);
    }
  });

  test('an app that goes, and who is assigned to it meanwhile: never an error of ours', async () => {
    const app = await newApp(org, bookmarkApp());
    const user = await org.createUser();
    const group = await newGroup(org);
    await org.admin.post(`/api/v1/apps/${app.id}/lifecycle/deactivate`);
    const statuses = await statusesOf([
      assign(org, app, user),
      assignTo(org, app, group),
      org.admin.del(`/api/v1/apps/${app.id}`),
    ]);
    for (const status of statuses) expect([200, 204, 404]).toContain(status);
    expect(await org.admin.get(appUser(app, user))).toMatchObject({ status: 404 });
  });

  test('who joins while the app is given to the group is told once, and has it', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [app, user, group] = [await newApp(org, bookmarkApp()), await org.createUser(), await newGroup(org)];
      await Promise.all([join(org, group, user), assignTo(org, app, group)]);
      expect(idsOf(await org.admin.get(appUsers(app)))).toEqual([user.id]);
      expect(await told('application.user_membership.add', user)).toBe(1);
    }
  });

  test('who leaves and joins again ends as the group says', async () => {
    const [app, user, group] = [await newApp(org, bookmarkApp()), await org.createUser(), await newGroup(org)];
    await assignTo(org, app, group);
    await Promise.all(times(4, () => [join(org, group, user), leave(org, group, user)]).flat());
    const members = idsOf(await org.admin.get(`/api/v1/groups/${group.id}/users`));
    expect(idsOf(await org.admin.get(appUsers(app)))).toEqual(members);
    const balance =
      (await told('application.user_membership.add', user)) - (await told('application.user_membership.remove', user));
    expect(balance).toBe(members.length);
    await org.admin.del(appGroup(app, group));
  });
});
