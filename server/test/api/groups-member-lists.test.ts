import { describe, expect, test } from 'vitest';
import { addMember, createGroup, everyoneOf, groupPath, idsOf, memberPath } from '../support/groups.ts';
import { newProfile, type TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf, followPages, userPath } from '../support/users.ts';

const { service, org } = useService();

const GONE = { status: 404, body: { errorCode: 'E0000007' } };

const membersOf = async (groupId: string): Promise<string[]> =>
  idsOf((await org.admin.get(`${groupPath(groupId)}/users`)).body);
const groupsOf = async (userId: string): Promise<string[]> =>
  idsOf((await org.admin.get(`${userPath(userId)}/groups`)).body);

describe('lists', () => {
  test('members come by id, page by page, forward and back', async () => {
    const group = await createGroup(org);
    const users = await Promise.all(Array.from({ length: 7 }, () => org.createUser()));
    for (const { id } of users) await addMember(org, group.id, id);
    const path = `${groupPath(group.id)}/users?limit=3`;
    const { users: found, sizes, last } = await followPages(org.admin, path);
    expect(idsOf(found)).toEqual(idsOf(users).toSorted());
    expect(sizes).toEqual([3, 3, 1]);
    expect(String(last.headers['link'])).toContain('rel="prev"');
    expect(found[0]).toEqual((await org.admin.get(`/api/v1/users?filter=id+eq+"${found[0]?.id}"`)).body[0]);
    expect((await org.admin.get(`${groupPath(group.id)}/users`)).headers['link']).toContain('limit=1000');
  });

  test('a member who leaves between two pages moves nobody off a page', async () => {
    const group = await createGroup(org);
    const users = idsOf(await Promise.all(Array.from({ length: 6 }, () => org.createUser()))).toSorted();
    for (const id of users) await addMember(org, group.id, id);
    let turns = 0;
    const { users: found } = await followPages(org.admin, `${groupPath(group.id)}/users?limit=2`, {
      between: async () => {
        turns += 1;
        if (turns === 1) await org.admin.del(memberPath(group.id, users[0] ?? ''));
      },
    });
    expect(idsOf(found)).toEqual(users);
  });

  test('groups of a user come by id, page by page', async () => {
    const user = await org.createUser();
    const groups = await Promise.all(Array.from({ length: 5 }, () => createGroup(org)));
    for (const { id } of groups) await addMember(org, id, user.id);
    const { users: found, sizes } = await followPages(org.admin, `${userPath(user.id)}/groups?limit=4`);
    const everyone = await everyoneOf(org);
    expect(idsOf(found)).toEqual([everyone.id, ...idsOf(groups)].toSorted());
    expect(sizes).toEqual([4, 2]);
    const whole = await org.admin.get(`${userPath(user.id)}/groups`);
    expect(whole.headers['link']).toMatch(/limit=200>; rel="self"$/);
    expect(whole.body).toContainEqual((await org.admin.get(groupPath(groups[0]?.id))).body);
  });

  test('of one list a cursor is of no use in another', async () => {
    const [one, two] = [await createGroup(org), await createGroup(org)];
    for (const { id } of await Promise.all([org.createUser(), org.createUser()])) {
      await addMember(org, one.id, id);
      await addMember(org, two.id, id);
    }
    const page = await org.admin.get(`${groupPath(one.id)}/users?limit=1`);
    const next = /<[^>]*\?([^>]*)>; rel="next"/.exec(String(page.headers['link']))?.[1] ?? '';
    expect(next).not.toBe('');
    const refused = await org.admin.get(`${groupPath(two.id)}/users?${next}`);
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
  });

  test('an unknown group or user is 404', async () => {
    expect(await org.admin.get(`${groupPath('00g00000000000000000')}/users`)).toMatchObject(GONE);
    expect(await org.admin.get(`${userPath('00u00000000000000000')}/groups`)).toMatchObject(GONE);
  });
});

describe('a user that is created into groups', () => {
  const create = (of: TestOrg, groupIds: readonly unknown[]) =>
    of.admin.post('/api/v1/users?activate=false', { body: { profile: newProfile(), groupIds } });

  test('is in them from the start', async () => {
    const groups = [await createGroup(org), await createGroup(org)];
    const everyone = await everyoneOf(org);
    const created = await create(org, [...idsOf(groups), ...idsOf(groups), everyone.id]);
    expect(created.status).toBe(200);
    expect(await groupsOf(created.body.id)).toEqual([everyone.id, ...idsOf(groups)].toSorted());
    const types = (await eventsOf(org, created)).map(({ eventType }) => eventType);
    expect(types).toEqual(['user.lifecycle.create', 'group.user_membership.add', 'group.user_membership.add']);
  });

  test('is not created where one of them does not exist', async () => {
    const other = await service.newOrg();
    const group = await createGroup(org);
    const count = async () => (await membersOf((await everyoneOf(org)).id)).length;
    const before = await count();
    for (const bad of ['00g00000000000000000', (await createGroup(other)).id, 'x', '']) {
      expect(await create(org, [group.id, bad])).toMatchObject({
        status: 400,
        body: { errorCode: 'E0000001', errorSummary: 'Api validation failed: groupIds' },
      });
    }
    expect(await create(org, [5])).toMatchObject({ status: 400 });
    expect(
      await create(
        org,
        Array.from({ length: 101 }, () => group.id),
      ),
    ).toMatchObject({ status: 400 });
    expect(await membersOf(group.id)).toEqual([]);
    expect(await count()).toBe(before);
  });
});
