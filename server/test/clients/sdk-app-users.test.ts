import { beforeAll, describe, expect, test } from 'vitest';
import { bookmarkApp } from '../support/app-assignments.ts';
import { beforeTests } from '../support/before-tests.ts';
import type { TestResponse } from '../support/client.ts';
import type { NodeSdk } from './node-sdk.ts';
import { startNodeSdkApps } from './node-sdk-apps.ts';

type Body = TestResponse['body'];

const apps = beforeTests(() => startNodeSdkApps());
let sdk: NodeSdk;
beforeAll(async () => {
  const scopes = ['okta.apps.manage', 'okta.users.manage', 'okta.groups.manage'];
  sdk = await apps.connect({ scopes, roles: ['SUPER_ADMIN'] });
});

let made = 0;
async function newApp(): Promise<Body> {
  made += 1;
  const application = bookmarkApp({ label: `of the SDK ${made}` });
  return sdk.call('applicationApi.createApplication', { application });
}

const newGroup = (): Promise<Body> => {
  made += 1;
  return sdk.call('groupApi.createGroup', { group: { profile: { name: `of the SDK ${made}` } } });
};

const GONE = { status: 404, errorCode: 'E0000007' };

describe('the published SDK', () => {
  test('assigns, reads, lists, changes and unassigns users', async () => {
    const { id: appId } = await newApp();
    const user = await apps.service.org.createUser();
    const place = { appId, userId: user.id };
    const assigned = await sdk.call('applicationApi.assignUserToApplication', { appId, appUser: { id: user.id } });
    expect(assigned).toMatchObject({ id: user.id, scope: 'USER', status: 'ACTIVE', syncState: 'DISABLED' });
    expect(assigned._links.user.href).toContain(user.id);
    expect(await sdk.models('applicationApi.getApplicationUser', place)).toMatchObject([{ item: 'AppUser' }]);
    const listed = await sdk.collect('applicationApi.listApplicationUsers', { appId });
    expect(listed.map(({ id }) => id)).toEqual([user.id]);
    const appUser = { credentials: { userName: 'set by the SDK' } };
    const changed = await sdk.call('applicationApi.updateApplicationUser', { ...place, appUser });
    expect(changed.credentials).toMatchObject(appUser.credentials);
    await sdk.call('applicationApi.unassignUserFromApplication', place);
    expect(await sdk.refusal('applicationApi.getApplicationUser', place)).toMatchObject(GONE);
  });

  test('lists users over pages', async () => {
    const { id: appId } = await newApp();
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      const { id } = await apps.service.org.createUser();
      await sdk.call('applicationApi.assignUserToApplication', { appId, appUser: { id } });
      ids.push(id);
    }
    const listed = await sdk.collect('applicationApi.listApplicationUsers', { appId, limit: 2 });
    expect(listed.map(({ id }) => id)).toEqual(ids.toSorted());
  });

  test('assigns, reads, lists, patches and unassigns groups', async () => {
    const { id: appId } = await newApp();
    const group = await newGroup();
    const place = { appId, groupId: group.id };
    const assigned = await sdk.call('applicationApi.assignGroupToApplication', place);
    expect(assigned).toMatchObject({ id: group.id, priority: 0 });
    expect(assigned._links.group.href).toContain(group.id);
    expect(await sdk.models('applicationApi.getApplicationGroupAssignment', place)).toMatchObject([
      { item: 'ApplicationGroupAssignment' },
    ]);
    const other = await newGroup();
    const applicationGroupAssignment = { priority: 0 };
    await sdk.call('applicationApi.assignGroupToApplication', {
      appId,
      groupId: other.id,
      applicationGroupAssignment,
    });
    const listed = await sdk.collect('applicationApi.listApplicationGroupAssignments', { appId });
    expect(listed.map(({ id, priority }) => [id, priority])).toEqual([
      [other.id, 0],
      [group.id, 1],
    ]);
    await sdk.call('applicationApi.unassignApplicationFromGroup', place);
    expect(await sdk.refusal('applicationApi.getApplicationGroupAssignment', place)).toMatchObject(GONE);
  });

  test('reads the links of a user', async () => {
    const { id: appId } = await newApp();
    const user = await apps.service.org.createUser();
    await sdk.call('applicationApi.assignUserToApplication', { appId, appUser: { id: user.id } });
    const links = await sdk.collect('userApi.listAppLinks', { userId: user.id });
    expect(links).toMatchObject([{ id: user.id, appInstanceId: appId, hidden: false }]);
  });
});
