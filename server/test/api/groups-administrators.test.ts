import { describe, expect, test } from 'vitest';
import type { TestClient } from '../support/client.ts';
import {
  addMember,
  createGroup,
  everyoneOf,
  GROUPS,
  groupPath,
  idsOf,
  memberPath,
  newGroupName,
} from '../support/groups.ts';
import { newProfile } from '../support/service.ts';
import { withScopes } from '../support/service-clients.ts';
import { useService } from '../support/use-service.ts';
import { userPath } from '../support/users.ts';

const { service, org } = useService({ isShared: false });

const FORBIDDEN = { status: 403, body: { errorCode: 'E0000006' } };

type Administrator = TestClient & { readonly userId: string };

/** Each process caches roles and permissions for a second. */
const forgotten = () => service.clock.advance(1_100);

async function narrowed(type: string, ...groupIds: readonly string[]): Promise<Administrator> {
  const client = await org.withRoles(type);
  const roles = `${userPath(client.userId)}/roles`;
  const [role] = (await org.admin.get(roles)).body;
  for (const groupId of groupIds) {
    const target = await org.admin.put(`${roles}/${role.id}/targets/groups/${groupId}`);
    expect(target.status, target.text).toBe(204);
  }
  forgotten();
  return client;
}

describe('whole roles', () => {
  test('a user without any sees the own groups, and nothing else', async () => {
    const [group, nobody] = [await createGroup(org), await org.withRoles()];
    await addMember(org, group.id, nobody.userId);
    const everyone = await everyoneOf(org);
    for (const me of ['me', nobody.userId]) {
      expect(idsOf((await nobody.get(`${userPath(me)}/groups`)).body)).toEqual([group.id, everyone.id].toSorted());
    }
    expect(await nobody.get(`${userPath(org.adminUserId)}/groups`)).toMatchObject(FORBIDDEN);
    for (const path of [GROUPS, groupPath(group.id), `${groupPath(group.id)}/users`, `${groupPath(group.id)}/owners`]) {
      expect(await nobody.get(path)).toMatchObject(FORBIDDEN);
    }
  });

  test.each(['READ_ONLY_ADMIN', 'HELP_DESK_ADMIN'])('%s reads and changes nothing', async (type) => {
    const [group, client] = [await createGroup(org), await org.withRoles(type)];
    expect((await client.get(groupPath(group.id))).status).toBe(200);
    expect(idsOf((await client.get(`${userPath(org.adminUserId)}/groups`)).body)).toEqual([(await everyoneOf(org)).id]);
    const body = { profile: { name: newGroupName() } };
    for (const refused of [
      await client.post(GROUPS, { body }),
      await client.put(groupPath(group.id), { body }),
      await client.del(groupPath(group.id)),
      await client.put(memberPath(group.id, client.userId)),
      await client.post(`${groupPath(group.id)}/owners`, { body: { id: client.userId, type: 'USER' } }),
    ]) {
      expect(refused).toMatchObject(FORBIDDEN);
    }
  });

  test('USER_ADMIN makes, fills and deletes groups', async () => {
    const client = await org.withRoles('USER_ADMIN');
    const made = await client.post(GROUPS, { body: { profile: { name: newGroupName() } } });
    expect(made.status).toBe(200);
    const user = await org.createUser();
    expect((await client.put(memberPath(made.body.id, user.id))).status).toBe(204);
    expect((await client.del(groupPath(made.body.id))).status).toBe(204);
  });

  test('GROUP_MEMBERSHIP_ADMIN fills groups and does not make them', async () => {
    const [group, user] = [await createGroup(org), await org.createUser()];
    const client = await org.withRoles('GROUP_MEMBERSHIP_ADMIN');
    expect((await client.put(memberPath(group.id, user.id))).status).toBe(204);
    expect((await client.del(memberPath(group.id, user.id))).status).toBe(204);
    expect(await client.post(GROUPS, { body: { profile: { name: newGroupName() } } })).toMatchObject(FORBIDDEN);
    expect(await client.del(groupPath(group.id))).toMatchObject(FORBIDDEN);
  });
});

describe('a role that is narrowed to a group', () => {
  test('lists, searches and reads that group alone', async () => {
    const [mine, other] = [await createGroup(org), await createGroup(org)];
    const client = await narrowed('USER_ADMIN', mine.id);
    const search = `?search=${encodeURIComponent('id pr')}`;
    const queries = ['', '?q=Group', search, `${search}&sortBy=profile.name`];
    for (const query of queries) expect(idsOf((await client.get(`${GROUPS}${query}`)).body)).toEqual([mine.id]);
    const filter = `?filter=${encodeURIComponent(`id eq "${other.id}"`)}`;
    expect((await client.get(`${GROUPS}${filter}`)).body).toEqual([]);
    expect((await client.get(groupPath(mine.id))).status).toBe(200);
    for (const path of ['', '/users', '/owners', '/apps']) {
      expect((await client.get(`${groupPath(mine.id)}${path}`)).status).toBe(200);
      expect(await client.get(`${groupPath(other.id)}${path}`)).toMatchObject(FORBIDDEN);
    }
    expect(await client.get(groupPath('00g00000000000000000'))).toMatchObject(FORBIDDEN);
  });

  test('changes that group alone, and makes none', async () => {
    const [mine, other] = [await createGroup(org), await createGroup(org)];
    const client = await narrowed('USER_ADMIN', mine.id);
    const body = () => ({ profile: { name: newGroupName() } });
    expect((await client.put(groupPath(mine.id), { body: body() })).status).toBe(200);
    expect(await client.put(groupPath(other.id), { body: body() })).toMatchObject(FORBIDDEN);
    expect(await client.del(groupPath(other.id))).toMatchObject(FORBIDDEN);
    expect(await client.post(GROUPS, { body: body() })).toMatchObject(FORBIDDEN);
    expect(await client.put(memberPath(other.id, client.userId))).toMatchObject(FORBIDDEN);
  });

  test('sees of a user the groups it may read', async () => {
    const [mine, other, user] = [await createGroup(org), await createGroup(org), await org.createUser()];
    for (const { id } of [mine, other]) await addMember(org, id, user.id);
    const client = await narrowed('USER_ADMIN', mine.id);
    expect(idsOf((await client.get(`${userPath(user.id)}/groups`)).body)).toEqual([mine.id]);
  });

  test('gains no power over users by taking them in', async () => {
    const [mine, member, stranger] = [await createGroup(org), await org.createUser(), await org.createUser()];
    await addMember(org, mine.id, member.id);
    const client = await narrowed('USER_ADMIN', mine.id);
    expect(await client.put(memberPath(mine.id, stranger.id))).toMatchObject(FORBIDDEN);
    expect(await client.put(memberPath(mine.id, org.adminUserId))).toMatchObject(FORBIDDEN);
    expect((await client.put(memberPath(mine.id, member.id))).status).toBe(204);
    expect((await client.del(memberPath(mine.id, member.id))).status).toBe(204);
    expect(idsOf((await org.admin.get(`${groupPath(mine.id)}/users`)).body)).toEqual([]);
  });

  test('of membership alone takes anybody in: it has no power over users', async () => {
    const [mine, other, stranger] = [await createGroup(org), await createGroup(org), await org.createUser()];
    const client = await narrowed('GROUP_MEMBERSHIP_ADMIN', mine.id);
    expect((await client.put(memberPath(mine.id, stranger.id))).status).toBe(204);
    expect(await client.put(memberPath(other.id, stranger.id))).toMatchObject(FORBIDDEN);
  });
});

describe('a group that gives its members roles', () => {
  async function groupWith(type: string): Promise<string> {
    const { id } = await createGroup(org);
    const assigned = await org.admin.post(`${groupPath(id)}/roles`, { body: { type } });
    expect(assigned.status, assigned.text).toBe(201);
    forgotten();
    return id;
  }

  test('takes nobody by the hand of one who holds less', async () => {
    const groupId = await groupWith('SUPER_ADMIN');
    const user = await org.createUser();
    await addMember(org, groupId, user.id);
    for (const type of ['USER_ADMIN', 'ORG_ADMIN', 'GROUP_MEMBERSHIP_ADMIN']) {
      const client = await org.withRoles(type);
      expect(await client.put(memberPath(groupId, client.userId))).toMatchObject(FORBIDDEN);
      expect(await client.del(memberPath(groupId, user.id))).toMatchObject(FORBIDDEN);
      expect(await client.del(groupPath(groupId))).toMatchObject(FORBIDDEN);
    }
    expect(idsOf((await org.admin.get(`${groupPath(groupId)}/users`)).body)).toEqual([user.id]);
  });

  test('takes no new user of one who holds less', async () => {
    const groupId = await groupWith('ORG_ADMIN');
    const client = await org.withRoles('USER_ADMIN');
    const body = { profile: newProfile(), groupIds: [groupId] };
    expect(await client.post('/api/v1/users?activate=false', { body })).toMatchObject(FORBIDDEN);
    expect((await org.admin.post('/api/v1/users?activate=false', { body })).status).toBe(200);
  });

  test('says so in its stats', async () => {
    const groupId = await groupWith('HELP_DESK_ADMIN');
    const { body } = await org.admin.get(`${GROUPS}?expand=stats&filter=${encodeURIComponent(`id eq "${groupId}"`)}`);
    expect(body).toMatchObject([{ _embedded: { stats: { hasAdminPrivilege: true } } }]);
  });
});

describe('scopes', () => {
  test('a token for users alone puts no new user into a group', async () => {
    const group = await createGroup(org);
    const made = async (...scopes: readonly string[]): Promise<number> => {
      const client = await withScopes(service, org, scopes, ['SUPER_ADMIN']);
      const body = { profile: newProfile(), groupIds: [group.id] };
      return (await client.post('/api/v1/users?activate=false', { body })).status;
    };
    expect(await made('users.manage')).toBe(403);
    expect(await made('users.manage', 'groups.manage')).toBe(200);
  });
});
