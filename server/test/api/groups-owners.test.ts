import { describe, expect, test } from 'vitest';
import { createGroup, everyoneOf, groupPath, idsOf } from '../support/groups.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf, followPages, userIn, userPath } from '../support/users.ts';

const { service, org } = useService();

const GONE = { status: 404, body: { errorCode: 'E0000007' } };
const ownersPath = (groupId: string): string => `${groupPath(groupId)}/owners`;
const assign = (groupId: string, id: unknown, type: unknown) =>
  org.admin.post(ownersPath(groupId), { body: { id, type } });
const ownersOf = async (groupId: string): Promise<string[]> => idsOf((await org.admin.get(ownersPath(groupId))).body);

describe('an owner', () => {
  test('may be a user, by 201, and is listed and logged', async () => {
    const [group, user] = [await createGroup(org), await org.createUser()];
    const assigned = await assign(group.id, user.id, 'USER');
    expect(assigned).toMatchObject({
      status: 201,
      body: {
        id: user.id,
        type: 'USER',
        resolved: true,
        originId: null,
        originType: 'SVC_DIRECTORY',
        displayName: 'Ada Lovelace',
        lastUpdated: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
      },
    });
    expect((await org.admin.get(ownersPath(group.id))).body).toEqual([assigned.body]);
    expect(await eventsOf(org, assigned)).toMatchObject([
      {
        eventType: 'resource.owner.update',
        target: [
          { id: group.id, type: 'UserGroup', changeDetails: { from: { owner: null }, to: { owner: user.id } } },
          { id: user.id, type: 'User' },
        ],
      },
    ]);
  });

  test('may be another group, and is taken away by 204, once', async () => {
    const [group, owner] = [await createGroup(org), await createGroup(org)];
    expect(await assign(group.id, owner.id, 'GROUP')).toMatchObject({
      status: 201,
      body: { id: owner.id, type: 'GROUP', displayName: owner.profile.name },
    });
    const path = `${ownersPath(group.id)}/${owner.id}`;
    const removed = await org.admin.del(path);
    expect(removed.status).toBe(204);
    expect(await ownersOf(group.id)).toEqual([]);
    expect(await eventsOf(org, removed)).toMatchObject([
      {
        eventType: 'resource.owner.update',
        target: [{ changeDetails: { from: { owner: owner.id }, to: { owner: null } } }, { id: owner.id }],
      },
    ]);
    const again = await org.admin.del(path);
    expect(again).toMatchObject({
      ...GONE,
      body: { errorSummary: `Not found: Resource not found: ${owner.id} (LinkedObject)` },
    });
    expect(await eventsOf(org, again)).toEqual([]);
  });

  test('is one once, also when many say so at once', async () => {
    const [group, user] = [await createGroup(org), await org.createUser()];
    const answers = await Promise.all(Array.from({ length: 6 }, () => assign(group.id, user.id, 'USER')));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const refused of answers.filter(({ status }) => status !== 201)) {
      expect(refused).toMatchObject({
        status: 400,
        body: {
          errorSummary: 'Api validation failed: owner',
          errorCauses: [{ errorSummary: 'Provided owner is already assigned to this group' }],
        },
      });
    }
    expect(await ownersOf(group.id)).toEqual([user.id]);
  });

  test('may do nothing by that', async () => {
    const group = await createGroup(org);
    const owner = await org.withRoles();
    await assign(group.id, owner.userId, 'USER');
    expect((await owner.get(groupPath(group.id))).status).toBe(403);
    expect((await owner.put(`${groupPath(group.id)}/users/${owner.userId}`)).status).toBe(403);
  });

  test('that does not exist here is 404, and so is a group of another org', async () => {
    const other = await service.newOrg();
    const [group, user] = [await createGroup(org), await org.createUser()];
    const them = await other.createUser();
    expect(await assign(group.id, '00u00000000000000000', 'USER')).toMatchObject({
      ...GONE,
      body: { errorSummary: 'Not found: Resource not found: 00u00000000000000000 (User)' },
    });
    expect(await assign(group.id, user.id, 'GROUP')).toMatchObject(GONE);
    expect(await assign(group.id, (await createGroup(org)).id, 'USER')).toMatchObject(GONE);
    expect(await assign(group.id, them.id, 'USER')).toMatchObject(GONE);
    expect(await assign((await createGroup(other)).id, user.id, 'USER')).toMatchObject(GONE);
    expect(await assign('00g00000000000000000', user.id, 'USER')).toMatchObject(GONE);
    expect(await ownersOf(group.id)).toEqual([]);
  });

  test.each([
    ['a type that owners do not have', (id: string) => ({ id, type: 'APP' })],
    ['no type', (id: string) => ({ id })],
    ['no id', () => ({ type: 'USER' })],
    ['an id that is no text', () => ({ id: 5, type: 'USER' })],
    ['an inherited name', (id: string) => ({ id, type: 'constructor' })],
  ])('with %s is refused', async (_, bodyOf) => {
    const [group, user] = [await createGroup(org), await org.createUser()];
    const refused = await org.admin.post(ownersPath(group.id), { body: bodyOf(user.id) });
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
  });

  test('is neither the group itself, nor is there one of everyone', async () => {
    const group = await createGroup(org);
    expect(await assign(group.id, group.id, 'GROUP')).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    const everyone = await everyoneOf(org);
    const forbidden = { status: 403, body: { errorCode: 'E0000006' } };
    expect(await assign(everyone.id, group.id, 'GROUP')).toMatchObject(forbidden);
  });

  test('who is deleted owns nothing any more', async () => {
    const [group, owner, user] = [await createGroup(org), await createGroup(org), await userIn(org, 'DEPROVISIONED')];
    await assign(group.id, owner.id, 'GROUP');
    await assign(group.id, user.id, 'USER');
    await org.admin.del(groupPath(owner.id));
    await org.admin.del(userPath(user.id));
    expect(await ownersOf(group.id)).toEqual([]);
  });
});

describe('the list', () => {
  test('comes by id, in pages, and by type where that is asked for', async () => {
    const group = await createGroup(org);
    const users = await Promise.all(Array.from({ length: 3 }, () => org.createUser()));
    const owner = await createGroup(org);
    for (const { id } of users) await assign(group.id, id, 'USER');
    await assign(group.id, owner.id, 'GROUP');
    const { users: found, sizes } = await followPages(org.admin, `${ownersPath(group.id)}?limit=3`);
    expect(idsOf(found)).toEqual([...idsOf(users), owner.id].toSorted());
    expect(sizes).toEqual([3, 1]);
    const search = (text: string) => org.admin.get(`${ownersPath(group.id)}?search=${encodeURIComponent(text)}`);
    expect(idsOf((await search('type eq "GROUP"')).body)).toEqual([owner.id]);
    expect(idsOf((await search('type eq "USER"')).body)).toEqual(idsOf(users).toSorted());
    expect((await search('type eq "APP"')).body).toEqual([]);
    expect(await search('id eq "x"')).toMatchObject({ status: 400, body: { errorCode: 'E0000053' } });
    expect(await search('type sw "U"')).toMatchObject({ status: 400, body: { errorCode: 'E0000031' } });
  });
});
