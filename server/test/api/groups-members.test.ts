import { describe, expect, test } from 'vitest';
import { addMember, createGroup, everyoneOf, groupPath, idsOf, memberPath } from '../support/groups.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf, userIn, userPath } from '../support/users.ts';

const { service, org } = useService({ isShared: false });

const GONE = { status: 404, body: { errorCode: 'E0000007' } };
const FORBIDDEN = { status: 403, body: { errorCode: 'E0000006' } };

const membersOf = async (groupId: string): Promise<string[]> =>
  idsOf((await org.admin.get(`${groupPath(groupId)}/users`)).body);
const groupsOf = async (userId: string): Promise<string[]> =>
  idsOf((await org.admin.get(`${userPath(userId)}/groups`)).body);
const membershipDate = async (groupId: string): Promise<string> =>
  (await org.admin.get(groupPath(groupId))).body.lastMembershipUpdated;

describe('a membership', () => {
  test('begins and ends with 204, is seen from both sides at once, and is logged', async () => {
    const [group, user] = [await createGroup(org), await org.createUser()];
    const added = await org.admin.put(memberPath(group.id, user.id));
    expect(added).toMatchObject({ status: 204, text: '' });
    expect(await membersOf(group.id)).toEqual([user.id]);
    expect(await groupsOf(user.id)).toContain(group.id);
    const targets = [
      { id: user.id, type: 'User', alternateId: user.profile.login, displayName: 'Ada Lovelace' },
      { id: group.id, type: 'UserGroup', displayName: group.profile.name },
    ];
    expect(await eventsOf(org, added)).toMatchObject([{ eventType: 'group.user_membership.add', target: targets }]);
    const removed = await org.admin.del(memberPath(group.id, user.id));
    expect(removed.status).toBe(204);
    expect(await membersOf(group.id)).toEqual([]);
    expect(await groupsOf(user.id)).not.toContain(group.id);
    expect(await eventsOf(org, removed)).toMatchObject([
      { eventType: 'group.user_membership.remove', target: targets },
    ]);
  });

  test('changes once: the second time nothing happens, nothing is logged, no date rises', async () => {
    const [group, user] = [await createGroup(org), await org.createUser()];
    service.clock.advance(2_000);
    await addMember(org, group.id, user.id);
    const began = await membershipDate(group.id);
    expect(Date.parse(began)).toBeGreaterThan(Date.parse(group.lastMembershipUpdated));
    service.clock.advance(2_000);
    const again = await org.admin.put(memberPath(group.id, user.id));
    expect(again.status).toBe(204);
    expect(await eventsOf(org, again)).toEqual([]);
    expect(await membershipDate(group.id)).toBe(began);
    await org.admin.del(memberPath(group.id, user.id));
    const ended = await membershipDate(group.id);
    expect(Date.parse(ended)).toBeGreaterThan(Date.parse(began));
    service.clock.advance(2_000);
    const gone = await org.admin.del(memberPath(group.id, user.id));
    expect(gone.status).toBe(204);
    expect(await eventsOf(org, gone)).toEqual([]);
    expect(await membershipDate(group.id)).toBe(ended);
  });

  test('moves neither the entity tag nor lastUpdated of the group', async () => {
    const [group, user] = [await createGroup(org), await org.createUser()];
    const before = await org.admin.get(groupPath(group.id));
    service.clock.advance(2_000);
    await addMember(org, group.id, user.id);
    const after = await org.admin.get(groupPath(group.id));
    expect(after.headers['etag']).toBe(before.headers['etag']);
    expect(after.body.lastUpdated).toBe(before.body.lastUpdated);
  });

  test('names the user by login or short login too', async () => {
    const group = await createGroup(org);
    const user = await org.createUser();
    expect((await org.admin.put(memberPath(group.id, encodeURIComponent(user.profile.login)))).status).toBe(204);
    expect(await membersOf(group.id)).toEqual([user.id]);
  });

  test.each(['PUT', 'DELETE'])('%s of an unknown user or group is 404', async (method) => {
    const [group, user] = [await createGroup(org), await org.createUser()];
    const send = (groupId: string, userId: string) => org.admin.send(method, memberPath(groupId, userId));
    expect(await send(group.id, '00u00000000000000000')).toMatchObject(GONE);
    expect(await send('00g00000000000000000', user.id)).toMatchObject(GONE);
    expect(await send(group.id, 'nobody@example.com')).toMatchObject(GONE);
  });

  test.each(['PUT', 'DELETE'])('%s with a user or group of another org is 404, there and here', async (method) => {
    const other = await service.newOrg();
    const [group, user] = [await createGroup(org), await org.createUser()];
    const [theirs, them] = [await createGroup(other), await other.createUser()];
    await addMember(other, theirs.id, them.id);
    expect(await org.admin.send(method, memberPath(group.id, them.id))).toMatchObject(GONE);
    expect(await org.admin.send(method, memberPath(theirs.id, user.id))).toMatchObject(GONE);
    expect(await org.admin.send(method, memberPath(theirs.id, them.id))).toMatchObject(GONE);
    expect(idsOf((await other.admin.get(`${groupPath(theirs.id)}/users`)).body)).toEqual([them.id]);
  });

  test('users of every status may be members', async () => {
    const group = await createGroup(org);
    for (const status of ['STAGED', 'SUSPENDED', 'DEPROVISIONED'] as const) {
      await addMember(org, group.id, (await userIn(org, status)).id);
    }
    expect(await membersOf(group.id)).toHaveLength(3);
  });
});

describe('at once', () => {
  test('many adds of one user make one membership and one event', async () => {
    const [group, user] = [await createGroup(org), await org.createUser()];
    const answers = await Promise.all(Array.from({ length: 12 }, () => org.admin.put(memberPath(group.id, user.id))));
    expect(answers.every(({ status }) => status === 204)).toBe(true);
    const events = (await Promise.all(answers.map((answer) => eventsOf(org, answer)))).flat();
    expect(events).toHaveLength(1);
    expect(await membersOf(group.id)).toEqual([user.id]);
  });

  test('adds and removes of one user leave as many events as changes, and the state of the last', async () => {
    const [group, user] = [await createGroup(org), await org.createUser()];
    const path = memberPath(group.id, user.id);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? org.admin.put(path) : org.admin.del(path))),
    );
    expect(answers.every(({ status }) => status === 204)).toBe(true);
    const events = (await Promise.all(answers.map((answer) => eventsOf(org, answer)))).flat();
    const count = (type: string) => events.filter(({ eventType }) => eventType === type).length;
    const isMember = (await membersOf(group.id)).length === 1;
    expect(count('group.user_membership.add') - count('group.user_membership.remove')).toBe(isMember ? 1 : 0);
  });

  test('many users join one group', async () => {
    const group = await createGroup(org);
    const users = await Promise.all(Array.from({ length: 16 }, () => org.createUser()));
    const answers = await Promise.all(users.map(({ id }) => org.admin.put(memberPath(group.id, id))));
    expect(answers.every(({ status }) => status === 204)).toBe(true);
    expect((await membersOf(group.id)).toSorted()).toEqual(idsOf(users).toSorted());
  });

  test('an add and the deletion of the group or of the user are no fault', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [group, user] = [await createGroup(org), await userIn(org, 'DEPROVISIONED')];
      const [added, deleted] = await Promise.all([
        org.admin.put(memberPath(group.id, user.id)),
        round % 2 === 0 ? org.admin.del(groupPath(group.id)) : org.admin.del(userPath(user.id)),
      ]);
      expect([204, 404]).toContain(added.status);
      expect(deleted.status).toBe(204);
      const { rows } = await service.database.pool.query('select 1 from group_members where group_id = $1', [group.id]);
      expect(rows).toEqual([]);
    }
  });
});

describe('what a deletion ends', () => {
  test('a deleted user leaves all groups, each with its event and date', async () => {
    const [one, two] = [await createGroup(org), await createGroup(org)];
    const user = await userIn(org, 'DEPROVISIONED');
    for (const group of [one, two]) await addMember(org, group.id, user.id);
    service.clock.advance(2_000);
    const before = await membershipDate(one.id);
    const deleted = await org.admin.del(userPath(user.id));
    expect(deleted.status).toBe(204);
    expect(await membersOf(one.id)).toEqual([]);
    expect(Date.parse(await membershipDate(one.id))).toBeGreaterThan(Date.parse(before));
    const left = (await eventsOf(org, deleted)).filter(({ eventType }) => eventType === 'group.user_membership.remove');
    expect(left.map(({ target }) => target[1].id).toSorted()).toEqual([one.id, two.id].toSorted());
  });

  test('a deactivated user stays in the groups', async () => {
    const [group, user] = [await createGroup(org), await org.createUser()];
    await addMember(org, group.id, user.id);
    await org.admin.post(`${userPath(user.id)}/lifecycle/deactivate`);
    expect(await membersOf(group.id)).toEqual([user.id]);
  });

  test('a deleted group is none of its members’ groups', async () => {
    const [group, user] = [await createGroup(org), await org.createUser()];
    await addMember(org, group.id, user.id);
    await org.admin.del(groupPath(group.id));
    expect(await groupsOf(user.id)).toEqual([(await everyoneOf(org)).id]);
  });
});

describe('the group of everyone', () => {
  test('has every user as a member, and every user has it', async () => {
    const own = await service.newOrg();
    const everyone = await everyoneOf(own);
    const users = [await own.createUser(), await userIn(own, 'STAGED'), await userIn(own, 'DEPROVISIONED')];
    const { body } = await own.admin.get(`${groupPath(everyone.id)}/users`);
    expect(idsOf(body).toSorted()).toEqual([own.adminUserId, ...idsOf(users)].toSorted());
    for (const { id } of users) {
      expect(idsOf((await own.admin.get(`${userPath(id)}/groups`)).body)).toEqual([everyone.id]);
    }
    const stored = 'select 1 from group_members where group_id = $1';
    expect((await service.database.pool.query(stored, [everyone.id])).rows).toEqual([]);
  });

  test.each(['PUT', 'DELETE'])('%s of a member is refused', async (method) => {
    const everyone = await everyoneOf(org);
    const user = await org.createUser();
    expect(await org.admin.send(method, memberPath(everyone.id, user.id))).toMatchObject(FORBIDDEN);
    expect(await groupsOf(user.id)).toContain(everyone.id);
  });
});
