import { describe, expect, test } from 'vitest';
import { createApp, serviceApp } from '../support/apps.ts';
import { beforeTests } from '../support/before-tests.ts';
import { createGroup } from '../support/groups.ts';
import { useService } from '../support/use-service.ts';
import { startAdministratorsSdk } from './node-sdk.ts';

const { service } = useService({ namespace: 'okta' });
const sdk = beforeTests(() => startAdministratorsSdk(service));

const GONE = { status: 404, errorCode: 'E0000007' };
const at = (path: string): string => `https://localhost:${service.port}${path}`;

const newIds = async () => ({
  userId: (await service.org.createUser()).id as string,
  groupId: (await createGroup(service.org)).id as string,
  clientId: (await createApp(service.org, serviceApp())).id as string,
});

describe('roles', () => {
  test('of a user', async () => {
    const { userId } = await newIds();
    const assignRoleRequest = { type: 'USER_ADMIN' };
    const { id } = await sdk.call('roleAssignmentApi.assignRoleToUser', { userId, assignRoleRequest });
    expect(id).toBe('KVJUKUS7IFCE2SKO');
    expect(await sdk.models('roleAssignmentApi.listAssignedRolesForUser', { userId })).toMatchObject([
      { item: 'StandardRole' },
    ]);
    const named = { userId, roleId: id };
    expect(await sdk.call('roleAssignmentApi.getUserAssignedRole', named)).toMatchObject({ type: 'USER_ADMIN' });
    const { value } = await sdk.call('roleAssignmentApi.listUsersWithRoleAssignments');
    expect(value.map((holder: { id: string }) => holder.id)).toContain(userId);
    const governance = { userId, roleAssignmentId: id };
    expect(await sdk.call('roleAssignmentApi.getUserAssignedRoleGovernance', governance)).toMatchObject({ grants: [] });
    const source = { ...governance, grantId: 'nothing' };
    for (const method of ['getRoleAssignmentGovernanceGrant', 'getRoleAssignmentGovernanceGrantResources']) {
      expect(await sdk.refusal(`roleAssignmentApi.${method}`, source)).toMatchObject(GONE);
    }
    await sdk.call('roleAssignmentApi.unassignRoleFromUser', named);
    expect(await sdk.refusal('roleAssignmentApi.getUserAssignedRole', named)).toMatchObject(GONE);
  });

  test('of a group and of a client', async () => {
    const { clientId, groupId } = await newIds();
    const assignRoleRequest = { type: 'HELP_DESK_ADMIN' };
    await sdk.call('roleAssignmentApi.assignRoleToGroup', { groupId, assignRoleRequest });
    await sdk.call('roleAssignmentApi.assignRoleToClient', { clientId, assignRoleRequest });
    const [ofGroup] = await sdk.collect('roleAssignmentApi.listGroupAssignedRoles', { groupId });
    const [ofClient] = await sdk.collect('roleAssignmentApi.listRolesForClient', { clientId });
    expect([ofGroup, ofClient]).toMatchObject([{ assignmentType: 'GROUP' }, { assignmentType: 'CLIENT' }]);
    const group = { groupId, roleId: ofGroup.id };
    const client = { clientId, roleAssignmentId: ofClient.id };
    await sdk.call('roleAssignmentApi.getGroupAssignedRole', group);
    await sdk.call('roleAssignmentApi.retrieveClientRole', client);
    await sdk.call('roleAssignmentApi.unassignRoleFromGroup', group);
    await sdk.call('roleAssignmentApi.deleteRoleFromClient', client);
    expect(await sdk.collect('roleAssignmentApi.listRolesForClient', { clientId })).toEqual([]);
  });
});

describe('targets', () => {
  test('of the role of a user', async () => {
    const { clientId: applicationId, groupId, userId } = await newIds();
    const other = await createGroup(service.org);
    const assign = (type: string) =>
      sdk.call('roleAssignmentApi.assignRoleToUser', { userId, assignRoleRequest: { type } });
    const [desk, apps] = [await assign('HELP_DESK_ADMIN'), await assign('APP_ADMIN')];
    const ofDesk = { userId, roleId: desk.id };
    for (const id of [groupId, other.id]) {
      await sdk.call('roleTargetApi.assignGroupTargetToUserRole', { ...ofDesk, groupId: id });
    }
    expect(await sdk.models('roleTargetApi.listGroupTargetsForRole', ofDesk)).toMatchObject([
      { item: 'Group' },
      { item: 'Group' },
    ]);
    await sdk.call('roleTargetApi.unassignGroupTargetFromUserAdminRole', { ...ofDesk, groupId });
    const last = { ...ofDesk, groupId: other.id };
    expect(await sdk.refusal('roleTargetApi.unassignGroupTargetFromUserAdminRole', last)).toMatchObject({
      status: 403,
    });
    const ofApps = { userId, roleId: apps.id };
    const app = { ...ofApps, appName: 'oidc_client', applicationId };
    await sdk.call('roleTargetApi.assignAppInstanceTargetToAppAdminRoleForUser', app);
    await sdk.call('roleTargetApi.assignAppTargetToAdminRoleForUser', { ...ofApps, appName: 'bookmark' });
    const list = 'roleTargetApi.listApplicationTargetsForApplicationAdministratorRoleForUser';
    expect(await sdk.models(list, ofApps)).toMatchObject([
      { item: 'CatalogApplication' },
      { item: 'CatalogApplication' },
    ]);
    await sdk.call('roleTargetApi.unassignAppInstanceTargetFromAdminRoleForUser', app);
    await sdk.call('roleTargetApi.assignAppTargetToAdminRoleForUser', { ...ofApps, appName: 'template_swa' });
    await sdk.call('roleTargetApi.unassignAppTargetFromAppAdminRoleForUser', { ...ofApps, appName: 'template_swa' });
    expect((await sdk.collect(list, ofApps)).map(({ name }) => name)).toEqual(['bookmark']);
    await sdk.call('roleTargetApi.assignAllAppsAsTargetToRoleForUser', ofApps);
    expect(await sdk.collect(list, ofApps)).toEqual([]);
    const byType = { userId, roleIdOrEncodedRoleId: 'HELP_DESK_ADMIN' };
    expect(await sdk.models('roleTargetApi.getRoleTargetsByUserIdAndRoleId', byType)).toMatchObject([
      { item: 'RoleTarget' },
    ]);
  });

  test('of the role of a group', async () => {
    const { clientId: applicationId, groupId } = await newIds();
    const [target, other] = [await createGroup(service.org), await createGroup(service.org)];
    const assign = (type: string) =>
      sdk.call('roleAssignmentApi.assignRoleToGroup', { groupId, assignRoleRequest: { type } });
    await assign('USER_ADMIN');
    const role = { groupId, roleId: 'KVJUKUS7IFCE2SKO' };
    for (const { id } of [target, other]) {
      await sdk.call('roleTargetApi.assignGroupTargetToGroupAdminRole', { ...role, targetGroupId: id });
    }
    const one = { ...role, targetGroupId: other.id };
    await sdk.call('roleTargetApi.unassignGroupTargetFromGroupAdminRole', one);
    expect(await sdk.collect('roleTargetApi.listGroupTargetsForGroupRole', role)).toMatchObject([{ id: target.id }]);
    const nobody = { ...role, targetGroupId: '00g00000000000000000' };
    expect(await sdk.refusal('roleTargetApi.assignGroupTargetToGroupAdminRole', nobody)).toMatchObject(GONE);

    await assign('APP_ADMIN');
    const assigned = await sdk.collect('roleAssignmentApi.listGroupAssignedRoles', { groupId });
    const ofApps = { groupId, roleId: assigned.find(({ type }) => type === 'APP_ADMIN').id };
    const instance = { ...ofApps, appName: 'oidc_client', applicationId };
    for (const appName of ['bookmark', 'template_swa']) {
      await sdk.call('roleTargetApi.assignAppTargetToAdminRoleForGroup', { ...ofApps, appName });
    }
    await sdk.call('roleTargetApi.assignAppInstanceTargetToAppAdminRoleForGroup', instance);
    const list = 'roleTargetApi.listApplicationTargetsForApplicationAdministratorRoleForGroup';
    expect(await sdk.collect(list, ofApps)).toHaveLength(3);
    await sdk.call('roleTargetApi.unassignAppInstanceTargetToAppAdminRoleForGroup', instance);
    const named = { ...ofApps, appName: 'template_swa' };
    await sdk.call('roleTargetApi.unassignAppTargetToAdminRoleForGroup', named);
    expect(await sdk.collect(list, ofApps)).toMatchObject([{ name: 'bookmark' }]);
  });

  test('of the role of a client', async () => {
    const { clientId, groupId } = await newIds();
    const app = await createApp(service.org, serviceApp());
    const assign = async (type: string) => {
      const argument = { clientId, assignRoleRequest: { type } };
      return { clientId, roleAssignmentId: (await sdk.call('roleAssignmentApi.assignRoleToClient', argument)).id };
    };
    const role = await assign('APP_ADMIN');
    for (const appName of ['bookmark', 'template_swa']) {
      await sdk.call('roleTargetApi.assignAppTargetRoleToClient', { ...role, appName });
    }
    const instance = { ...role, appName: 'oidc_client', appId: app.id };
    await sdk.call('roleTargetApi.assignAppTargetInstanceRoleForClient', instance);
    expect(await sdk.collect('roleTargetApi.listAppTargetRoleToClient', role)).toHaveLength(3);
    await sdk.call('roleTargetApi.removeAppTargetInstanceRoleForClient', instance);
    await sdk.call('roleTargetApi.removeAppTargetRoleFromClient', { ...role, appName: 'template_swa' });
    expect(await sdk.collect('roleTargetApi.listAppTargetRoleToClient', role)).toMatchObject([{ name: 'bookmark' }]);
    const last = { ...role, appName: 'bookmark' };
    expect(await sdk.refusal('roleTargetApi.removeAppTargetRoleFromClient', last)).toMatchObject({ status: 403 });

    const desk = await assign('HELP_DESK_ADMIN');
    const other = await createGroup(service.org);
    for (const id of [groupId, other.id]) {
      await sdk.call('roleTargetApi.assignGroupTargetRoleForClient', { ...desk, groupId: id });
    }
    await sdk.call('roleTargetApi.removeGroupTargetRoleFromClient', { ...desk, groupId: other.id });
    expect(await sdk.collect('roleTargetApi.listGroupTargetRoleForClient', desk)).toMatchObject([{ id: groupId }]);
  });
});

describe('custom roles', () => {
  test('with permissions and conditions', async () => {
    const instance = { label: 'of the SDK', description: 'made by it', permissions: ['okta.users.read'] };
    const { id } = await sdk.call('customRoleApi.createRole', { instance });
    const named = { roleIdOrLabel: id };
    expect(await sdk.models('customRoleApi.getRole', named)).toMatchObject([{ item: 'IamRole' }]);
    expect((await sdk.call('customRoleApi.listRoles')).roles).toMatchObject([{ id }]);
    const renamed = { label: 'renamed', description: 'made by it' };
    await sdk.call('customRoleApi.replaceRole', { ...named, instance: renamed });
    const conditions = { include: { 'okta:ResourceAttribute/User/Profile': ['city'] } };
    const permission = { roleIdOrLabel: 'renamed', permissionType: 'okta.users.manage' };
    await sdk.call('customRoleApi.createRolePermission', { ...permission, instance: { conditions } });
    expect(await sdk.call('customRoleApi.getRolePermission', permission)).toMatchObject({
      label: 'okta.users.manage',
    });
    await sdk.call('customRoleApi.replaceRolePermission', { ...permission, instance: {} });
    expect((await sdk.call('customRoleApi.listRolePermissions', named)).permissions).toHaveLength(2);
    await sdk.call('customRoleApi.deleteRolePermission', permission);
    await sdk.call('customRoleApi.deleteRole', named);
    expect(await sdk.refusal('customRoleApi.getRole', named)).toMatchObject(GONE);
  });

  test('on resource sets, bound to members', async () => {
    const { groupId, userId } = await newIds();
    const role = await sdk.call('customRoleApi.createRole', {
      instance: { label: 'bound', description: 'to a set', permissions: ['okta.groups.read'] },
    });
    const set = await sdk.call('resourceSetApi.createResourceSet', {
      instance: { label: 'of the SDK', description: 'made by it', resources: [at('/api/v1/users')] },
    });
    const named = { resourceSetId: set.id };
    expect((await sdk.call('resourceSetApi.listResourceSets'))['resource_sets']).toMatchObject([{ id: set.id }]);
    await sdk.call('resourceSetApi.replaceResourceSet', { ...named, instance: { label: 'renamed', description: 'd' } });
    expect(await sdk.call('resourceSetApi.getResourceSet', named)).toMatchObject({ label: 'renamed' });
    await sdk.call('resourceSetApi.addResourceSetResources', {
      ...named,
      instance: { additions: [at(`/api/v1/groups/${groupId}`)] },
    });
    const added = { resourceOrnOrUrl: at('/api/v1/apps'), conditions: {} };
    const { id: addedId } = await sdk.call('resourceSetApi.addResourceSetResource', { ...named, instance: added });
    const replaced = { ...named, resourceId: addedId, resourceSetResourcePutRequest: { conditions: {} } };
    expect(await sdk.call('resourceSetApi.replaceResourceSetResource', replaced)).toMatchObject({ id: addedId });
    await sdk.call('resourceSetApi.deleteResourceSetResource', { ...named, resourceId: addedId });
    const elsewhere = { resourceOrnOrUrl: 'https://elsewhere.example/api/v1/users', conditions: {} };
    expect(await sdk.refusal('resourceSetApi.addResourceSetResource', { ...named, instance: elsewhere })).toMatchObject(
      {
        status: 400,
      },
    );
    const { resources } = await sdk.call('resourceSetApi.listResourceSetResources', named);
    expect(resources).toHaveLength(2);
    const resource = { ...named, resourceId: resources[0].id };
    expect(await sdk.call('resourceSetApi.getResourceSetResource', resource)).toMatchObject({ id: resources[0].id });

    const binding = { ...named, roleIdOrLabel: role.id };
    const instance = { role: role.id, members: [at(`/api/v1/users/${userId}`)] };
    await sdk.call('resourceSetApi.createResourceSetBinding', { ...named, instance });
    expect((await sdk.call('resourceSetApi.listBindings', named)).roles).toMatchObject([{ id: role.id }]);
    expect(await sdk.call('resourceSetApi.getBinding', binding)).toMatchObject({ id: role.id });
    const additions = { additions: [at(`/api/v1/groups/${groupId}`)] };
    await sdk.call('resourceSetApi.addMembersToBinding', { ...binding, instance: additions });
    const { members } = await sdk.call('resourceSetApi.listMembersOfBinding', binding);
    expect(members).toHaveLength(2);
    const member = { ...binding, memberId: members[0].id };
    expect(await sdk.call('resourceSetApi.getMemberOfBinding', member)).toMatchObject({ id: members[0].id });
    expect(await sdk.models('roleAssignmentApi.listAssignedRolesForUser', { userId })).toMatchObject([
      { item: 'CustomRole' },
    ]);
    await sdk.call('resourceSetApi.unassignMemberFromBinding', member);
    await sdk.call('resourceSetApi.deleteBinding', binding);
    await sdk.call('resourceSetApi.deleteResourceSetResource', resource);
    await sdk.call('resourceSetApi.deleteResourceSet', named);
    expect(await sdk.refusal('resourceSetApi.getResourceSet', named)).toMatchObject(GONE);
  });
});

test('API tokens: listed, held to a network, revoked', async () => {
  const owner = await service.org.withRoles('READ_ONLY_ADMIN');
  const body = { type: 'IP', name: 'office', gateways: [{ type: 'CIDR', value: '203.0.113.0/24' }] };
  const zone = (await service.org.admin.post('/api/v1/zones', { body })).body.id;
  const tokens = await sdk.collect('apiTokenApi.listApiTokens');
  const apiTokenId = tokens.find(({ userId }) => userId === owner.userId)?.id;
  const apiTokenUpdate = { name: 'held', network: { connection: 'ZONE', include: [zone] } };
  await sdk.call('apiTokenApi.upsertApiToken', { apiTokenId, apiTokenUpdate });
  expect(await sdk.call('apiTokenApi.getApiToken', { apiTokenId })).toMatchObject({ network: { connection: 'ZONE' } });
  expect(await owner.get('/api/v1/zones')).toMatchObject({ status: 401 });
  await sdk.call('apiTokenApi.revokeApiToken', { apiTokenId });
  expect(await sdk.refusal('apiTokenApi.getApiToken', { apiTokenId })).toMatchObject(GONE);
});
