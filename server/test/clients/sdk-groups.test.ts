import { describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import type { TestResponse } from '../support/client.ts';
import { CREDENTIALS, lockOut } from '../support/users.ts';
import { startNodeSdkApps } from './node-sdk-apps.ts';

type Body = TestResponse['body'];

const apps = beforeTests(() => startNodeSdkApps());
const sdk = beforeTests(() => apps.connectAs(apps.org.adminToken));

const GONE = { status: 404, errorCode: 'E0000007' };

let made = 0;
const newGroup = (profile: object = {}): Promise<Body> => {
  made += 1;
  return sdk.call('groupApi.createGroup', { group: { profile: { name: `SDK group ${made}`, ...profile } } });
};
const idsOf = (items: readonly Body[]): string[] => items.map(({ id }) => id);

describe('groups', () => {
  test('are made, read as the SDK knows them, replaced and deleted', async () => {
    const group = await newGroup({ description: 'made by the SDK' });
    expect(group).toMatchObject({ type: 'OKTA_GROUP', profile: { description: 'made by the SDK' } });
    expect(group._links.users.href).toBe(`${apps.org.baseUrl}/api/v1/groups/${group.id}/users`);
    const argument = { groupId: group.id };
    expect(await sdk.models('groupApi.getGroup', argument)).toMatchObject([
      { item: 'Group', members: { profile: 'GroupProfile', created: 'Date' } },
    ]);
    const profile = { name: 'replaced by the SDK' };
    const replaced = await sdk.call('groupApi.replaceGroup', { ...argument, group: { profile } });
    expect(replaced.profile.name).toBe(profile.name);
    expect(await sdk.refusal('groupApi.createGroup', { group: { profile } })).toMatchObject({
      status: 400,
      errorCode: 'E0000001',
    });
    await sdk.call('groupApi.deleteGroup', argument);
    expect(await sdk.refusal('groupApi.getGroup', argument)).toMatchObject(GONE);
  });

  test('are listed over pages, and found by q, filter and search', async () => {
    const name = 'Findable by the SDK';
    const group = await newGroup({ name, description: 'unmistakable' });
    const all = idsOf(await sdk.collect('groupApi.listGroups', { limit: 1 }));
    expect(all).toContain(group.id);
    expect(new Set(all).size).toBe(all.length);
    for (const argument of [
      { q: 'Findable' },
      { filter: `id eq "${group.id}"` },
      { search: 'profile.description eq "unmistakable"', sortBy: 'profile.name', sortOrder: 'desc' },
    ]) {
      expect(idsOf(await sdk.collect('groupApi.listGroups', argument))).toEqual([group.id]);
    }
    const [counted] = await sdk.collect('groupApi.listGroups', { q: name, expand: 'stats' });
    expect(counted._embedded.stats).toMatchObject({ usersCount: 0 });
    expect(await sdk.refusal('groupApi.listGroups', { filter: 'nothing eq "x"' })).toMatchObject({ status: 400 });
  });

  test('take users in and let them go; a user knows the groups', async () => {
    const group = await newGroup();
    const user = await apps.service.org.createUser();
    const argument = { groupId: group.id, userId: user.id };
    for (let times = 0; times < 2; times += 1) await sdk.call('groupApi.assignUserToGroup', argument);
    expect(await sdk.models('groupApi.listGroupUsers', { groupId: group.id })).toMatchObject([{ item: 'User' }]);
    expect(idsOf(await sdk.collect('groupApi.listGroupUsers', { groupId: group.id }))).toEqual([user.id]);
    const groups = await sdk.collect('userApi.listUserGroups', { userId: user.id });
    expect(groups.map(({ profile }) => profile.name).toSorted()).toEqual(['Everyone', group.profile.name].toSorted());
    await sdk.call('groupApi.unassignUserFromGroup', argument);
    expect(await sdk.collect('groupApi.listGroupUsers', { groupId: group.id })).toEqual([]);
    const nobody = { ...argument, userId: '00u00000000000000000' };
    expect(await sdk.refusal('groupApi.assignUserToGroup', nobody)).toMatchObject(GONE);
  });

  test('of everybody can be neither joined nor deleted', async () => {
    const [everyone] = await sdk.collect('groupApi.listGroups', { filter: 'type eq "BUILT_IN"' });
    const argument = { groupId: everyone.id, userId: (await apps.service.org.createUser()).id };
    expect((await sdk.refusal('groupApi.assignUserToGroup', argument)).status).toBeGreaterThanOrEqual(400);
    expect((await sdk.refusal('groupApi.deleteGroup', { groupId: everyone.id })).status).toBeGreaterThanOrEqual(400);
  });

  test('have owners: users and groups', async () => {
    const [group, owning] = [await newGroup(), await newGroup()];
    const user = await apps.service.org.createUser();
    const argument = { groupId: group.id };
    const assign = (id: string, type: string) =>
      sdk.call('groupApi.assignGroupOwner', { ...argument, GroupOwner: { id, type } });
    expect(await assign(user.id, 'USER')).toMatchObject({ id: user.id, type: 'USER', resolved: true });
    await assign(owning.id, 'GROUP');
    expect(await sdk.models('groupApi.listGroupOwners', argument)).toMatchObject([
      { item: 'GroupOwner', members: { lastUpdated: 'Date' } },
      { item: 'GroupOwner' },
    ]);
    await sdk.call('groupApi.deleteGroupOwner', { ...argument, ownerId: user.id });
    expect(idsOf(await sdk.collect('groupApi.listGroupOwners', argument))).toEqual([owning.id]);
    const stranger = { ...argument, GroupOwner: { id: '00u00000000000000000', type: 'USER' } };
    expect((await sdk.refusal('groupApi.assignGroupOwner', stranger)).status).toBeGreaterThanOrEqual(400);
  });

  test('have apps, whose assignment the SDK patches', async () => {
    const group = await newGroup();
    const application = {
      name: 'bookmark',
      label: 'Of a group of the SDK',
      signOnMode: 'BOOKMARK',
      settings: { app: { requestIntegration: false, url: 'https://example.com' } },
    };
    const { id: appId } = await sdk.call('applicationApi.createApplication', { application });
    const argument = { appId, groupId: group.id };
    await sdk.call('applicationApi.assignGroupToApplication', { ...argument, applicationGroupAssignment: {} });
    expect(await sdk.models('groupApi.listAssignedApplicationsForGroup', { groupId: group.id })).toMatchObject([
      { item: 'BookmarkApplication' },
    ]);
    const patch = (value: unknown) => ({
      ...argument,
      jsonPatchOperation: [{ op: 'replace', path: '/priority', value }],
    });
    const patched = await sdk.call('applicationApi.updateGroupAssignmentToApplication', patch(0));
    expect(patched).toMatchObject({ id: group.id, priority: 0 });
    expect(await sdk.refusal('applicationApi.updateGroupAssignmentToApplication', patch('first'))).toMatchObject({
      status: 400,
    });
  });
});

describe('users', () => {
  test('have their blocks told, are unlocked, and lose their sessions', async () => {
    const user = await apps.service.org.createUser({ credentials: CREDENTIALS });
    const argument = { userId: user.id };
    expect(await sdk.collect('userApi.listUserBlocks', argument)).toEqual([]);
    await lockOut(apps.org.admin, user.id);
    expect(await sdk.models('userApi.listUserBlocks', argument)).toMatchObject([{ item: 'UserBlock' }]);
    expect(await sdk.collect('userApi.listUserBlocks', argument)).toMatchObject([{ appliesTo: 'ANY_DEVICES' }]);
    await sdk.call('userApi.unlockUser', argument);
    expect(await sdk.refusal('userApi.unlockUser', argument)).toMatchObject({ status: 403, errorCode: 'E0000032' });
    await sdk.call('userApi.revokeUserSessions', argument);
    const nobody = { userId: '00u00000000000000000' };
    expect(await sdk.refusal('userApi.revokeUserSessions', nobody)).toMatchObject(GONE);
  });

  test('get a new password for the answer to the recovery question', async () => {
    const user = await apps.service.org.createUser({ credentials: CREDENTIALS });
    const recovered = (answer: string) => ({
      userId: user.id,
      userCredentials: { password: { value: 'Recovered-1-Once' }, recovery_question: { answer } },
    });
    const method = 'userApi.forgotPasswordSetNewPassword';
    expect(await sdk.refusal(method, recovered('nonsense'))).toMatchObject({ status: 403, errorCode: 'E0000087' });
    expect(await sdk.call(method, recovered(CREDENTIALS.recovery_question.answer))).toMatchObject({
      recovery_question: { question: CREDENTIALS.recovery_question.question },
      provider: { type: 'OKTA' },
    });
  });
});
