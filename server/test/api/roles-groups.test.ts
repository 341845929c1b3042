import { describe, expect, test } from 'vitest';
import { ROLE_TYPES, ROLES } from '../../src/access/index.ts';
import { createRule } from '../support/group-rules.ts';
import { addMember, createGroup, everyoneOf, groupPath, memberPath } from '../support/groups.ts';
import { assign } from '../support/roles.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { CREDENTIALS, userPath } from '../support/users.ts';

const { service, org } = useService();

const rolesOf = (groupId: string): string => `${groupPath(groupId)}/roles`;
const FORBIDDEN = { status: 403, body: { errorCode: 'E0000006' } };
const give = (of: TestOrg, groupId: string, type: string) => of.admin.post(rolesOf(groupId), { body: { type } });

describe('a role of a group', () => {
  test.each(ROLE_TYPES)('%s: 201, listed, readable, logged', async (type) => {
    const group = await createGroup(org);
    const assigned = await give(org, group.id, type);
    expect(assigned).toMatchObject({
      status: 201,
      body: {
        type,
        label: ROLES[type].label,
        status: 'ACTIVE',
        assignmentType: 'GROUP',
        _links: { assignee: { href: `${org.baseUrl}${groupPath(group.id)}` } },
      },
    });
    if (ROLES[type].targets === null) expect(assigned.body.id).toMatch(/^gra[0-9A-Za-z]{17}$/);
    expect((await org.admin.get(rolesOf(group.id))).body).toEqual([assigned.body]);
    expect((await org.admin.get(`${rolesOf(group.id)}/${assigned.body.id}`)).body).toEqual(assigned.body);
    expect(await org.systemLog(`target.id eq "${group.id}" and eventType sw "group.privilege"`)).toMatchObject([
      {
        eventType: 'group.privilege.grant',
        target: [{ id: group.id, type: 'UserGroup', changeDetails: { from: { roles: [] }, to: { roles: [type] } } }],
        debugContext: { debugData: { privilegeGranted: ROLES[type].label, roleType: type } },
      },
    ]);
  });

  test('twice is a conflict, also at once; taken away it is gone', async () => {
    const group = await createGroup(org);
    const twice = await Promise.all([1, 2].map(() => give(org, group.id, 'APP_ADMIN')));
    expect(twice.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409]);
    const [{ id }] = (await org.admin.get(rolesOf(group.id))).body;
    expect(await org.admin.del(`${rolesOf(group.id)}/${id}`)).toMatchObject({ status: 204 });
    expect(await org.admin.del(`${rolesOf(group.id)}/${id}`)).toMatchObject({ status: 404 });
    expect((await org.admin.get(rolesOf(group.id))).body).toEqual([]);
    expect(await org.systemLog(`target.id eq "${group.id}" and eventType eq "group.privilege.revoke"`)).toHaveLength(1);
  });

  test.each(['KING', 'toString', '', 5, null, undefined])('of type %j is refused', async (type) => {
    const group = await createGroup(org);
    const refused = await org.admin.post(rolesOf(group.id), { body: { type } });
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
  });

  test('is refused to the group of everyone and to groups that rules fill', async () => {
    const everyone = await everyoneOf(org);
    expect(await give(org, everyone.id, 'HELP_DESK_ADMIN')).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000211' },
    });
    const filled = await createGroup(org);
    await createRule(org, [filled.id]);
    expect(await give(org, filled.id, 'HELP_DESK_ADMIN')).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000192' },
    });
    const bearing = await createGroup(org);
    await assign(org, groupPath(bearing.id), 'HELP_DESK_ADMIN');
    await expect(createRule(org, [bearing.id])).rejects.toThrow('not created');
  });

  test('nobody reaches a group that is not there, or of another org', async () => {
    const other = await service.newOrg();
    const theirs = await createGroup(other);
    for (const id of [theirs.id, '00g00000000000000000', 'nobody']) {
      const unknown = { status: 404, body: { errorCode: 'E0000007' } };
      expect(await give(org, id, 'APP_ADMIN')).toMatchObject(unknown);
      expect(await org.admin.get(rolesOf(id))).toMatchObject(unknown);
    }
  });
});

describe('members of a group', () => {
  test('hold its roles while they are in it', async () => {
    const group = await createGroup(org);
    await assign(org, groupPath(group.id), 'HELP_DESK_ADMIN');
    const member = await org.withRoles();
    const target = await org.createUser({ credentials: CREDENTIALS });
    const expire = () => member.post(`${userPath(target.id)}/lifecycle/expire_password`);
    expect(await expire()).toMatchObject(FORBIDDEN);
    await addMember(org, group.id, member.userId);
    expect((await expire()).status).toBe(200);
    await org.admin.del(memberPath(group.id, member.userId));
    expect(await expire()).toMatchObject(FORBIDDEN);
  });

  test('show it behind their own roles', async () => {
    const group = await createGroup(org);
    const given = await assign(org, groupPath(group.id), 'APP_ADMIN');
    const member = await org.withRoles('READ_ONLY_ADMIN');
    await addMember(org, group.id, member.userId);
    const roles = `${userPath(member.userId)}/roles`;
    expect((await org.admin.get(roles)).body).toMatchObject([
      { type: 'READ_ONLY_ADMIN', assignmentType: 'USER' },
      { id: given.id, type: 'APP_ADMIN', assignmentType: 'GROUP', _links: given._links },
    ]);
    expect((await org.admin.get(`${roles}/${given.id}`)).body).toMatchObject({ assignmentType: 'GROUP' });
    expect(await org.admin.del(`${roles}/${given.id}`)).toMatchObject({ status: 404 });
    const { body } = await org.admin.get('/api/v1/iam/assignees/users?limit=200');
    expect(body.value.map(({ id }: { id: string }) => id)).toContain(member.userId);
  });

  test('lose them with the group, which tells it', async () => {
    const group = await createGroup(org);
    await assign(org, groupPath(group.id), 'READ_ONLY_ADMIN');
    const member = await org.withRoles();
    await addMember(org, group.id, member.userId);
    expect(await member.get('/api/v1/zones')).toMatchObject({ status: 200 });
    expect(await org.admin.del(groupPath(group.id))).toMatchObject({ status: 204 });
    expect(await member.get('/api/v1/zones')).toMatchObject(FORBIDDEN);
    expect(await org.systemLog(`target.id eq "${group.id}" and eventType eq "group.privilege.revoke"`)).toHaveLength(1);
  });
});

describe('who may change them', () => {
  test.each(ROLE_TYPES.filter((type) => type !== 'SUPER_ADMIN'))('%s gives and takes no role', async (type) => {
    const group = await createGroup(org);
    const { id } = await assign(org, groupPath(group.id), 'HELP_DESK_ADMIN');
    const client = await org.withRoles(type);
    expect(await client.post(rolesOf(group.id), { body: { type } })).toMatchObject(FORBIDDEN);
    expect(await client.del(`${rolesOf(group.id)}/${id}`)).toMatchObject(FORBIDDEN);
  });
});

describe('the last super administrator by a group', () => {
  async function byGroup(): Promise<{ own: TestOrg; groupId: string; roleId: string }> {
    const own = await service.newOrg();
    const group = await createGroup(own);
    const { id: roleId } = await assign(own, groupPath(group.id), 'SUPER_ADMIN');
    await addMember(own, group.id, own.adminUserId);
    const roles = (await own.admin.get(`${userPath(own.adminUserId)}/roles`)).body;
    const direct = roles.find((role: { assignmentType: string }) => role.assignmentType === 'USER');
    expect(await own.admin.del(`${userPath(own.adminUserId)}/roles/${direct.id}`)).toMatchObject({ status: 204 });
    return { own, groupId: group.id, roleId };
  }

  type Where = (of: TestOrg, groupId: string, roleId: string) => string;
  const attempts: readonly (readonly [name: string, method: string, where: Where])[] = [
    ['leaving the group', 'DELETE', (of, groupId) => memberPath(groupId, of.adminUserId)],
    ['deleting the group', 'DELETE', (_of, groupId) => groupPath(groupId)],
    ['taking the role from the group', 'DELETE', (_of, groupId, roleId) => `${rolesOf(groupId)}/${roleId}`],
    ['suspending', 'POST', (of) => `${userPath(of.adminUserId)}/lifecycle/suspend`],
    ['deactivating', 'POST', (of) => `${userPath(of.adminUserId)}/lifecycle/deactivate`],
    ['deleting', 'DELETE', (of) => userPath(of.adminUserId)],
  ];

  test.each(attempts)('%s is refused, and done once there is another', async (_name, method, where) => {
    const { groupId, own, roleId } = await byGroup();
    const attempt = () => own.admin.send(method, where(own, groupId, roleId));
    const refused = await attempt();
    expect(refused).toMatchObject(FORBIDDEN);
    expect(refused.body.errorCauses[0].errorSummary).toContain('last super administrator');
    expect((await own.admin.get(rolesOf(groupId))).body).toHaveLength(1);
    await own.withRoles('SUPER_ADMIN');
    expect([200, 204]).toContain((await attempt()).status);
  });

  test('two who take each other out of the group at once: one stays', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { groupId, own } = await byGroup();
      const second = await own.withRoles();
      await addMember(own, groupId, second.userId);
      const answers = await Promise.all([
        own.admin.del(memberPath(groupId, second.userId)),
        second.del(memberPath(groupId, own.adminUserId)),
      ]);
      expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([204, 403]);
    }
  });

  test('a client that is one does not count', async () => {
    const { groupId, own, roleId } = await byGroup();
    const app = await own.admin.post('/api/v1/apps', {
      body: {
        name: 'oidc_client',
        label: 'Service',
        signOnMode: 'OPENID_CONNECT',
        credentials: { oauthClient: {} },
        settings: { oauthClient: { application_type: 'service', grant_types: ['client_credentials'] } },
      },
    });
    await own.admin.post(`/oauth2/v1/clients/${app.body.id}/roles`, { body: { type: 'SUPER_ADMIN' } });
    expect(await own.admin.del(`${rolesOf(groupId)}/${roleId}`)).toMatchObject(FORBIDDEN);
  });
});
