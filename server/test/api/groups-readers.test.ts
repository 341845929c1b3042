import { describe, expect, test } from 'vitest';
import { assignTo, newApp } from '../support/app-assignments.ts';
import { addMember, createGroup, GROUPS, groupPath, idsOf, memberPath } from '../support/groups.ts';
import { bindRole, type Holder, withCustomRole, withTargets } from '../support/roles.ts';
import { useService } from '../support/use-service.ts';
import { linksOf, userPath } from '../support/users.ts';

// Readers and managers of groups see no more of users and apps than their permissions for users and apps allow.

const { service, org } = useService({ isShared: false });

const FORBIDDEN = { status: 403, body: { errorCode: 'E0000006' } };
const NOBODY = 'nobody.there@example.com';

const forgotten = <Client>(client: Client): Client => {
  service.clock.advance(1_100);
  return client;
};
const holder = async (permissions: readonly string[], ...paths: readonly string[]): Promise<Holder> =>
  forgotten(await withCustomRole(org, permissions, paths));
const usersOf = (groupId: string): string => `${groupPath(groupId)}/users`;
/** Returns the representation of a user whom the caller may not read. */
const reduced = (id: string) => ({ id, _links: { self: { href: `${org.baseUrl}${userPath(id)}` } } });

describe('members', () => {
  test('are named to who reads groups, and shown to who reads them', async () => {
    const [group, other] = [await createGroup(org), await createGroup(org)];
    const users = [await org.createUser(), await org.createUser(), await org.createUser()];
    for (const { id } of users) await addMember(org, group.id, id);
    const [seen, ...unseen] = users;
    if (seen === undefined) throw new Error('nobody was made');
    await addMember(org, other.id, seen.id);
    const client = await org.withRoles();
    const members = [`${org.baseUrl}${userPath(client.userId)}`];
    await bindRole(org, { permissions: ['groups.read'], paths: [groupPath(group.id)], members });
    expect((await forgotten(client).get(usersOf(group.id))).body).toEqual(
      users.map(({ id }) => reduced(id)).toSorted((one, two) => (one.id < two.id ? -1 : 1)),
    );
    await bindRole(org, { permissions: ['users.read'], paths: [usersOf(other.id)], members });
    const page = await forgotten(client).get(`${usersOf(group.id)}?limit=2`);
    const rest = await client.get(linksOf(page)['next'] ?? '');
    const shown = new Map([...page.body, ...rest.body].map((one: { id: string }) => [one.id, one]));
    expect(shown.get(seen.id)).toMatchObject({ status: 'PROVISIONED', profile: { login: seen.profile.login } });
    for (const { id } of unseen) expect(shown.get(id)).toEqual(reduced(id));
  });

  test('everybody sees himself, and standard roles that read groups see them whole', async () => {
    const group = await createGroup(org);
    const client = await holder(['groups.read'], groupPath(group.id));
    await addMember(org, group.id, client.userId);
    expect((await client.get(usersOf(group.id))).body).toMatchObject([{ profile: { login: expect.any(String) } }]);
    const { id } = await org.createUser();
    await addMember(org, group.id, id);
    for (const type of ['READ_ONLY_ADMIN', 'GROUP_MEMBERSHIP_ADMIN', 'APP_ADMIN', 'HELP_DESK_ADMIN', 'USER_ADMIN']) {
      const { body } = await (await org.withRoles(type)).get(usersOf(group.id));
      expect(
        body.every((one: object) => 'profile' in one),
        type,
      ).toBe(true);
    }
    for (const type of ['HELP_DESK_ADMIN', 'USER_ADMIN', 'GROUP_MEMBERSHIP_ADMIN'] as const) {
      const { body } = await forgotten(await withTargets(org, type, { groups: [group.id] })).get(usersOf(group.id));
      expect(
        body.every((one: object) => 'profile' in one),
        type,
      ).toBe(true);
    }
  });

  test('are taken in and out by who may see them: known and unknown logins answer alike', async () => {
    const [group, stranger, mine] = [await createGroup(org), await org.createUser(), await org.createUser()];
    const client = await org.withRoles();
    const members = [`${org.baseUrl}${userPath(client.userId)}`];
    await bindRole(org, { permissions: ['groups.members.manage'], paths: [groupPath(group.id)], members });
    await bindRole(org, { permissions: ['users.read'], paths: [userPath(mine.id)], members });
    forgotten(client);
    const unknown = '00u00000000000000000';
    for (const name of [stranger.id, stranger.profile.login, unknown, NOBODY]) {
      const path = memberPath(group.id, encodeURIComponent(name));
      expect(await client.put(path), name).toMatchObject(FORBIDDEN);
      expect(await client.del(path), name).toMatchObject(FORBIDDEN);
    }
    expect((await org.admin.get(usersOf(group.id))).body).toEqual([]);
    for (const name of [mine.id, mine.profile.login, 'me']) {
      expect((await client.put(memberPath(group.id, encodeURIComponent(name)))).status).toBe(204);
      expect((await client.del(memberPath(group.id, encodeURIComponent(name)))).status).toBe(204);
    }
    const whole = forgotten(await withTargets(org, 'GROUP_MEMBERSHIP_ADMIN', { groups: [group.id] }));
    expect((await whole.put(memberPath(group.id, stranger.id))).status).toBe(204);
    expect(await whole.put(memberPath(group.id, encodeURIComponent(NOBODY)))).toMatchObject({ status: 404 });
  });
});

describe('apps of a group', () => {
  test('are shown to who reads them', async () => {
    const [group, one, two] = [await createGroup(org), await newApp(org), await newApp(org)];
    for (const app of [one, two]) expect((await assignTo(org, app, group)).status).toBe(200);
    const path = `${groupPath(group.id)}/apps`;
    const idsBy = async (client: Holder): Promise<string[]> => idsOf((await client.get(path)).body);
    for (const type of ['HELP_DESK_ADMIN', 'USER_ADMIN', 'GROUP_MEMBERSHIP_ADMIN']) {
      expect(await idsBy(await org.withRoles(type)), type).toEqual([]);
    }
    for (const type of ['READ_ONLY_ADMIN', 'APP_ADMIN', 'MOBILE_ADMIN']) {
      expect(await idsBy(await org.withRoles(type)), type).toEqual([one.id, two.id].toSorted());
    }
    const client = await org.withRoles();
    const members = [`${org.baseUrl}${userPath(client.userId)}`];
    await bindRole(org, { permissions: ['groups.read'], paths: [GROUPS], members });
    await bindRole(org, { permissions: ['apps.read'], paths: [`/api/v1/apps/${two.id}`], members });
    expect(await idsBy(forgotten(client))).toEqual([two.id]);
  });
});

describe('an owner', () => {
  test('is chosen among those whom one may see', async () => {
    const [group, other, own] = [await createGroup(org), await createGroup(org), await createGroup(org)];
    const [stranger, mine] = [await org.createUser(), await org.createUser()];
    const client = await org.withRoles();
    const members = [`${org.baseUrl}${userPath(client.userId)}`];
    const paths = [groupPath(group.id), groupPath(own.id)];
    await bindRole(org, { permissions: ['groups.manage'], paths, members });
    await bindRole(org, { permissions: ['users.read'], paths: [userPath(mine.id)], members });
    forgotten(client);
    const assign = (id: string, type: string) => client.post(`${groupPath(group.id)}/owners`, { body: { id, type } });
    for (const [id, type] of [
      [stranger.id, 'USER'],
      ['00u00000000000000000', 'USER'],
      [other.id, 'GROUP'],
      ['00g00000000000000000', 'GROUP'],
    ] as const) {
      expect(await assign(id, type), id).toMatchObject(FORBIDDEN);
    }
    expect(await assign(mine.id, 'USER')).toMatchObject({ status: 201 });
    expect(await assign(client.userId, 'USER')).toMatchObject({ status: 201 });
    expect(await assign(own.id, 'GROUP')).toMatchObject({ status: 201 });
  });
});
