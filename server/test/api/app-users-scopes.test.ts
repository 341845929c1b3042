import { describe, expect, test } from 'vitest';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import { assignedSinceOf } from '../../src/management/app-assignments/index.ts';
import { run } from '../../src/platform/postgres/index.ts';
import {
  appGroup,
  appUser,
  assign,
  assignTo,
  bookmarkApp,
  join,
  leave,
  newApp,
  newGroup,
  toldBy,
} from '../support/app-assignments.ts';
import { webApp } from '../support/apps.ts';
import type { TestResponse } from '../support/client.ts';
import { everyoneOf } from '../support/groups.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf, userPath } from '../support/users.ts';

type Body = TestResponse['body'];

const { service, org } = useService();

const scopeOf = async (app: Body, user: Body): Promise<string | null> => {
  const { body, status } = await org.admin.get(appUser(app, user));
  return status === 200 ? body.scope : null;
};

describe('an app that a group gives', () => {
  test('what the group says stands before what the profile says, and the first group before the others', async () => {
    const app = await newApp(org, webApp());
    const user = await org.createUser({ profile: { nickName: 'of the user', city: 'London' } });
    const [first, second] = [await newGroup(org, user), await newGroup(org, user)];
    await assignTo(org, app, second, {
      priority: 2,
      profile: { nickname: 'second', website: 'https://second.example' },
    });
    await assignTo(org, app, first, { priority: 1, profile: { nickname: 'first', region: null } });
    const profile = { nickname: 'first', website: 'https://second.example', locality: 'London', region: null };
    const { body } = await org.admin.get(appUser(app, user));
    expect(body).toMatchObject({ scope: 'GROUP', profile });
    expect(body._links.group.href).toContain(first.id);
    await assignTo(org, app, second, { priority: 0 });
    expect(await org.admin.get(appUser(app, user))).toMatchObject({ body: { profile: { nickname: 'second' } } });
  });

  test('can be changed for one user, who keeps the scope GROUP', async () => {
    const app = await newApp(org, webApp());
    const user = await org.createUser();
    await assignTo(org, app, await newGroup(org, user), { profile: { nickname: 'group' } });
    const body = { credentials: { userName: 'own' }, profile: { website: 'https://own.example' } };
    const response = await org.admin.post(appUser(app, user), { body });
    expect(response).toMatchObject({
      status: 200,
      body: {
        scope: 'GROUP',
        credentials: { userName: 'own' },
        profile: { nickname: 'group', website: 'https://own.example' },
      },
    });
    const back = { credentials: { userName: null }, profile: { website: null } };
    await org.admin.post(appUser(app, user), { body: back });
    const { rows } = await service.database.pool.query('select from app_users where user_id = $1', [user.id]);
    expect(rows).toHaveLength(0);
  });

  test('cannot be taken from one user', async () => {
    const app = await newApp(org, bookmarkApp());
    const user = await org.createUser();
    await assignTo(org, app, await newGroup(org, user));
    const refused = await org.admin.del(appUser(app, user));
    expect(refused).toMatchObject({ status: 403, body: { errorCode: 'E0000046' } });
    expect(await scopeOf(app, user)).toBe('GROUP');
  });
});

describe('an app that one has both ways', () => {
  test('is USER: assigned before or after, and GROUP again when the assignment ends', async () => {
    const app = await newApp(org, webApp());
    const user = await org.createUser();
    const group = await newGroup(org, user);
    await assignTo(org, app, group, { profile: { nickname: 'group' } });
    const converted = await assign(org, app, user, { profile: { website: 'https://own.example' } });
    expect(converted).toMatchObject({ status: 200, body: { scope: 'USER', profile: { nickname: null } } });
    expect(await eventsOf(org, converted)).toMatchObject([
      {
        eventType: 'application.user_membership.update',
        target: [{ changeDetails: { from: { scope: 'GROUP' }, to: { scope: 'USER' } } }, {}, {}],
      },
    ]);
    const ended = await org.admin.del(appUser(app, user));
    expect(ended).toMatchObject({ status: 204 });
    expect((await toldBy(org, ended)).map(({ what }) => what)).toEqual(['update']);
    expect(await org.admin.get(appUser(app, user))).toMatchObject({
      body: { scope: 'GROUP', profile: { nickname: 'group', website: null } },
    });
  });

  test('the scope GROUP gives an assignment back to the group', async () => {
    const app = await newApp(org, bookmarkApp());
    const user = await org.createUser();
    await assign(org, app, user, { credentials: { userName: 'own' } });
    await assignTo(org, app, await newGroup(org, user));
    expect(await scopeOf(app, user)).toBe('USER');
    const response = await assign(org, app, user, { scope: 'GROUP' });
    expect(response).toMatchObject({
      status: 200,
      body: { scope: 'GROUP', credentials: { userName: user.profile.login } },
    });
    const back = await org.admin.post(appUser(app, user), { body: { scope: 'USER' } });
    expect(back).toMatchObject({ status: 200, body: { scope: 'USER' } });
  });

  test('losing the group changes nothing for who is assigned', async () => {
    const app = await newApp(org, bookmarkApp());
    const user = await org.createUser();
    const group = await newGroup(org, user);
    await assign(org, app, user);
    await assignTo(org, app, group);
    expect(await toldBy(org, await leave(org, group, user))).toEqual([]);
    expect(await scopeOf(app, user)).toBe('USER');
  });
});

describe('membership of groups', () => {
  test('gives and takes their apps, told in the same transaction', async () => {
    const [one, other] = [await newApp(org, bookmarkApp()), await newApp(org, bookmarkApp())];
    const user = await org.createUser();
    const group = await newGroup(org);
    for (const app of [one, other]) await assignTo(org, app, group);
    const expected = (what: string) => [one, other].map(({ id }) => ({ what, app: id, user: user.id }));
    const sorted = (list: readonly object[]) => list.map((item) => JSON.stringify(item)).toSorted();
    expect(sorted(await toldBy(org, await join(org, group, user)))).toEqual(sorted(expected('add')));
    expect(await toldBy(org, await join(org, group, user))).toEqual([]);
    expect(sorted(await toldBy(org, await leave(org, group, user)))).toEqual(sorted(expected('remove')));
    expect(await scopeOf(one, user)).toBeNull();
  });

  test('a second group that gives the app tells nothing, and the last one takes it', async () => {
    const app = await newApp(org, bookmarkApp());
    const user = await org.createUser();
    const [first, second] = [await newGroup(org, user), await newGroup(org)];
    await assignTo(org, app, first);
    await assignTo(org, app, second);
    expect(await toldBy(org, await join(org, second, user))).toEqual([]);
    expect(await toldBy(org, await leave(org, first, user))).toEqual([]);
    expect((await toldBy(org, await leave(org, second, user))).map(({ what }) => what)).toEqual(['remove']);
  });

  test('what was kept of the user goes with the last group', async () => {
    const app = await newApp(org, webApp());
    const user = await org.createUser();
    const group = await newGroup(org, user);
    await assignTo(org, app, group);
    await org.admin.post(appUser(app, user), { body: { credentials: { userName: 'kept' } } });
    await leave(org, group, user);
    await join(org, group, user);
    expect(await org.admin.get(appUser(app, user))).toMatchObject({
      body: { credentials: { userName: user.profile.login } },
    });
  });

  test('a group that is deleted takes its apps with it', async () => {
    const app = await newApp(org, bookmarkApp());
    const user = await org.createUser();
    const group = await newGroup(org, user);
    await assignTo(org, app, group);
    const response = await org.admin.del(`/api/v1/groups/${group.id}`);
    expect(response).toMatchObject({ status: 204 });
    expect(await toldBy(org, response)).toEqual([{ what: 'remove', app: app.id, user: user.id }]);
    expect((await eventsOf(org, response)).map(({ eventType }) => eventType)).toContain(
      'group.application_assignment.remove',
    );
    expect(await scopeOf(app, user)).toBeNull();
    expect(await org.admin.get(appGroup(app, group))).toMatchObject({ status: 404 });
  });

  test('a new user has what everyone has', async () => {
    const own = await service.newOrg();
    const app = await newApp(own, bookmarkApp());
    await assignTo(own, app, await everyoneOf(own));
    const user = await own.createUser();
    const events = await own.systemLog('eventType eq "application.user_membership.add"');
    expect(events.map(({ target }) => target[2].id)).toContain(user.id);
  });
});

describe('the life of a user', () => {
  test('deactivated, he has no app and nothing is kept; activated, groups give theirs again', async () => {
    const [assigned, given] = [await newApp(org, bookmarkApp()), await newApp(org, bookmarkApp())];
    const user = await org.createUser();
    await assign(org, assigned, user);
    await assignTo(org, given, await everyoneOf(org));
    const gone = await org.admin.post(`${userPath(user.id)}/lifecycle/deactivate`);
    const told = await toldBy(org, gone);
    expect(told).toContainEqual({ what: 'remove', app: assigned.id, user: user.id });
    expect(told).toContainEqual({ what: 'remove', app: given.id, user: user.id });
    expect([await scopeOf(assigned, user), await scopeOf(given, user)]).toEqual([null, null]);
    const back = await org.admin.post(`${userPath(user.id)}/lifecycle/activate?sendEmail=false`);
    expect(back).toMatchObject({ status: 200 });
    const again = await toldBy(org, back);
    expect(again).toContainEqual({ what: 'add', app: given.id, user: user.id });
    expect(again.map(({ app }) => app)).not.toContain(assigned.id);
    expect([await scopeOf(assigned, user), await scopeOf(given, user)]).toEqual([null, 'GROUP']);
  });

  test('a suspended user keeps what he has', async () => {
    const app = await newApp(org, bookmarkApp());
    const user = await org.createUser({ credentials: { password: { value: 'Correct-1-Horse' } } });
    await assign(org, app, user);
    const response = await org.admin.post(`${userPath(user.id)}/lifecycle/suspend`);
    expect(await toldBy(org, response)).toEqual([]);
    expect(await scopeOf(app, user)).toBe('USER');
  });

  test('another login is another name in apps that make theirs of it', async () => {
    const own = await service.newOrg();
    const [derived, named] = [await newApp(own, bookmarkApp()), await newApp(own, bookmarkApp())];
    const user = await own.createUser();
    await assign(own, derived, user);
    await assign(own, named, user, { credentials: { userName: 'stays' } });
    const login = `renamed.${user.profile.login}`;
    const response = await own.admin.post(userPath(user.id), { body: { profile: { login } } });
    const events = (await eventsOf(own, response)).filter(({ eventType }) =>
      String(eventType).startsWith('application'),
    );
    expect(events).toMatchObject([
      {
        eventType: 'application.user_membership.change_username',
        target: [
          { changeDetails: { from: { userName: user.profile.login }, to: { userName: login } } },
          { id: derived.id },
          { id: user.id },
        ],
      },
    ]);
    const other = await own.admin.post(userPath(user.id), { body: { profile: { city: 'London' } } });
    expect(await toldBy(own, other)).toEqual([]);
  });
});

describe('assignedSinceOf', () => {
  const sinceOf = async (orgId: OrgId, app: Body, user: Body): Promise<Date | null> => {
    const text = `select ${assignedSinceOf('$3')} as since from apps a where a.org_id = $1 and a.id = $2`;
    const [row] = await run<{ since: Date | null }>(service.application.db, text, [orgId, app.id, user.id]);
    return row?.since ?? null;
  };
  const isHis = async (app: Body, user: Body): Promise<boolean> => (await sinceOf(org.id, app, user)) !== null;

  test('by himself, by a group, as one of all; not when deactivated', async () => {
    const [user, stranger] = [await org.createUser(), await org.createUser()];
    const [own, given, everyones] = [
      await newApp(org, bookmarkApp()),
      await newApp(org, bookmarkApp()),
      await newApp(org, bookmarkApp()),
    ];
    await assign(org, own, user);
    await assignTo(org, given, await newGroup(org, user));
    await assignTo(org, everyones, await everyoneOf(org));
    const asked = (who: Body) => Promise.all([own, given, everyones].map((app) => isHis(app, who)));
    expect(await asked(user)).toEqual([true, true, true]);
    expect(await asked(stranger)).toEqual([false, false, true]);
    await org.admin.post(`${userPath(user.id)}/lifecycle/deactivate`);
    expect(await asked(user)).toEqual([false, false, false]);
    await org.admin.del(appGroup(everyones, await everyoneOf(org)));
  });

  test('an app that is assigned implicitly is of everyone, without being listed', async () => {
    const app = await newApp(org, bookmarkApp({ settings: { ...bookmarkApp().settings, implicitAssignment: true } }));
    const [user, other] = [await org.createUser(), await org.createUser()];
    await assign(org, app, user);
    expect(await org.admin.get(appUser(app, user))).toMatchObject({ body: { status: 'IMPLICIT', scope: 'USER' } });
    expect(await org.admin.get(appUser(app, other))).toMatchObject({ status: 404 });
    expect([await isHis(app, user), await isHis(app, other)]).toEqual([true, true]);
    expect(await sinceOf((await service.newOrg()).id, app, other)).toBeNull();
  });
});
