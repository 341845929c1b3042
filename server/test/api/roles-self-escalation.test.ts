import { describe, expect, test } from 'vitest';
import { activeRule, createRule, membersOf, RULES, rulePath } from '../support/group-rules.ts';
import { addMember, createGroup, everyoneOf, GROUPS, groupPath, memberPath } from '../support/groups.ts';
import { newOidcProvider } from '../support/identity-providers.ts';
import { assign, bindRole, createCustomRole, type Holder, IAM_ROLES, RESOURCE_SETS } from '../support/roles.ts';
import { newProfile } from '../support/service.ts';
import { newServiceClient } from '../support/service-clients.ts';
import { useService } from '../support/use-service.ts';
import { CREDENTIALS, userPath } from '../support/users.ts';

// This file tests indirect ways to gain more rights (attack 97 in docs/security-rows.md).

const { service, org } = useService({ isShared: false });

const FORBIDDEN = { status: 403, body: { errorCode: 'E0000006' } };
const INVALID = { status: 400, body: { errorCode: 'E0000001' } };

const bind = (holder: Holder, permissions: readonly string[], paths: readonly string[]) =>
  bindRole(org, { permissions, paths, members: [`${org.baseUrl}${userPath(holder.userId)}`] });

let departments = 0;
const newDepartment = (): string => {
  departments += 1;
  return `department ${departments}`;
};

describe('who writes profiles everywhere and sets passwords in one group', () => {
  async function writer() {
    const [group, department, client] = [await createGroup(org), newDepartment(), await org.withRoles()];
    await activeRule(service, org, [group.id], `user.department == "${department}"`);
    await bind(client, ['users.userprofile.manage', 'users.create'], ['/api/v1/users']);
    await bind(client, ['users.credentials.manage'], [`${groupPath(group.id)}/users`]);
    service.clock.advance(1_000);
    return { client, department, group };
  }

  test('takes nobody into the group by what a rule reads', async () => {
    const { client, department, group } = await writer();
    const target = await org.createUser({ credentials: CREDENTIALS });
    const write = (by: Pick<Holder, 'post'>, value: string) =>
      by.post(userPath(target.id), { body: { profile: { department: value } } });
    expect(await write(client, 'another one')).toMatchObject({ status: 200 });
    expect(await write(client, department)).toMatchObject(FORBIDDEN);
    expect((await org.admin.get(userPath(target.id))).body.profile.department).toBe('another one');
    expect(await membersOf(org, group.id)).toEqual([]);
    expect(await client.post(`${userPath(target.id)}/lifecycle/reset_password?sendEmail=false`)).toMatchObject(
      FORBIDDEN,
    );
    expect(await write(org.admin, department)).toMatchObject({ status: 200 });
    expect(await membersOf(org, group.id)).toEqual([target.id]);
    expect(await write(client, 'another one')).toMatchObject({ status: 200 });
  });

  test('makes users whom the rule places', async () => {
    const { client, department, group } = await writer();
    const made = await client.post('/api/v1/users?activate=false', { body: { profile: newProfile({ department }) } });
    expect(made).toMatchObject({ status: 200 });
    expect(await membersOf(org, group.id)).toEqual([made.body.id]);
  });
});

describe('who reaches all users but those of a group', () => {
  async function allBut(groupId: string): Promise<Holder> {
    const client = await org.withRoles();
    const bound = await bind(client, ['users.manage', 'groups.manage'], ['/api/v1/groups']);
    const body = {
      resourceOrnOrUrl: `${org.baseUrl}/api/v1/users`,
      conditions: { Exclude: { 'svc:ORN': [`orn:svc:directory:${org.id}:groups:${groupId}:contained_resources`] } },
    };
    const resources = `${RESOURCE_SETS}/${bound['resourceSetIdOrLabel']}/resources`;
    expect(await org.admin.post(resources, { body })).toMatchObject({ status: 200 });
    service.clock.advance(1_000);
    return client;
  }

  test('neither empties nor deletes it, and rules neither', async () => {
    const [group, other, protege] = [await createGroup(org), await createGroup(org), await org.createUser()];
    await addMember(org, group.id, protege.id);
    const department = newDepartment();
    const rule = await activeRule(service, org, [group.id], `user.department == "${department}"`);
    const placed = await org.createUser({ profile: { department } });
    const client = await allBut(group.id);
    expect(await client.post(`${userPath(protege.id)}/lifecycle/deactivate`)).toMatchObject(FORBIDDEN);
    expect(await client.del(memberPath(group.id, protege.id))).toMatchObject(FORBIDDEN);
    expect(await client.del(groupPath(group.id))).toMatchObject(FORBIDDEN);
    expect(await client.del(`${rulePath(rule.id)}?removeUsers=true`)).toMatchObject(FORBIDDEN);
    expect(await membersOf(org, group.id)).toEqual([protege.id, placed.id].toSorted());
    expect(await client.del(groupPath(other.id))).toMatchObject({ status: 204 });
    expect(await org.admin.del(groupPath(group.id))).toMatchObject({ status: 204 });
  });

  test('is not made of all users but all', async () => {
    const everyone = await everyoneOf(org);
    const bound = await bindRole(org, { permissions: ['users.manage'], paths: ['/api/v1/groups'] });
    const resources = `${RESOURCE_SETS}/${bound['resourceSetIdOrLabel']}/resources`;
    const name = `orn:svc:directory:${org.id}:groups:${everyone.id}:contained_resources`;
    const conditions = { Exclude: { 'svc:ORN': [name] } };
    const body = { resourceOrnOrUrl: `${org.baseUrl}/api/v1/users`, conditions };
    expect(await org.admin.post(resources, { body })).toMatchObject(INVALID);
    const { id } = (await org.admin.post(resources, { body: { ...body, conditions: {} } })).body;
    expect(await org.admin.put(`${resources}/${id}`, { body: { conditions } })).toMatchObject(INVALID);
  });
});

describe('who manages all groups and the users of one', () => {
  test('fills that one by no rule: not by one of its own, not by one that waits', async () => {
    const [group, client] = [await createGroup(org), await org.withRoles()];
    await bind(client, ['groups.manage'], ['/api/v1/groups']);
    await bind(client, ['users.manage'], [`${groupPath(group.id)}/users`]);
    service.clock.advance(1_000);
    const waiting = await createRule(org, [group.id], 'true');
    const body = { name: 'mine', type: 'group_rule', actions: { assignUserToGroups: { groupIds: [group.id] } } };
    const conditions = { expression: { value: 'true', type: 'urn:svc:expression:1.0' } };
    expect(await client.post(RULES, { body: { ...body, conditions } })).toMatchObject(FORBIDDEN);
    expect(await client.post(`${rulePath(waiting.id)}/lifecycle/activate`)).toMatchObject(FORBIDDEN);
    const stranger = await org.createUser();
    expect(await client.put(memberPath(group.id, stranger.id))).toMatchObject(FORBIDDEN);
    expect(await client.put(memberPath(group.id, client.userId))).toMatchObject(FORBIDDEN);
    expect(await membersOf(org, group.id)).toEqual([]);
  });

  test('an owner of a group that gives a role joins it no more than anybody', async () => {
    const [group, client] = [await createGroup(org), await org.withRoles('ORG_ADMIN')];
    await assign(org, groupPath(group.id), 'SUPER_ADMIN');
    const owner = { body: { id: client.userId, type: 'USER' } };
    expect(await client.post(`${groupPath(group.id)}/owners`, owner)).toMatchObject({ status: 201 });
    expect(await client.put(memberPath(group.id, client.userId))).toMatchObject(FORBIDDEN);
    expect(await membersOf(org, group.id)).toEqual([]);
  });
});

describe('an identity provider', () => {
  const assigning = (groupId: string, given = newOidcProvider()): Record<string, unknown> => ({
    ...given,
    policy: {
      ...(given['policy'] as Record<string, unknown>),
      provisioning: { action: 'AUTO', groups: { action: 'ASSIGN', assignments: [groupId] } },
    },
  });

  test('puts nobody into a group that gives a role, and such a group gets none', async () => {
    const [bearing, plain, client] = [await createGroup(org), await createGroup(org), await org.withRoles('ORG_ADMIN')];
    await assign(org, groupPath(bearing.id), 'HELP_DESK_ADMIN');
    expect(await client.post('/api/v1/idps', { body: assigning(bearing.id) })).toMatchObject(INVALID);
    const given = newOidcProvider();
    const made = await client.post('/api/v1/idps', { body: assigning(plain.id, given) });
    expect(made).toMatchObject({ status: 200 });
    const replaced = await client.put(`/api/v1/idps/${made.body.id}`, { body: assigning(bearing.id, given) });
    expect(replaced).toMatchObject(INVALID);
    const roles = `${groupPath(plain.id)}/roles`;
    expect((await org.admin.post(roles, { body: { type: 'SUPER_ADMIN' } })).status).toBe(400);
    expect(await org.admin.del(`/api/v1/idps/${made.body.id}`)).toMatchObject({ status: 204 });
    expect(await org.admin.post(roles, { body: { type: 'HELP_DESK_ADMIN' } })).toMatchObject({ status: 201 });
  });
});

describe('who holds a custom role', () => {
  test('edits neither it nor its resources nor its binding, and makes no other', async () => {
    const client = await org.withRoles();
    const bound = await bind(client, ['iam.read', 'users.manage', 'groups.manage'], ['/api/v1/iam', '/api/v1/users']);
    service.clock.advance(1_000);
    const role = `${IAM_ROLES}/${bound['roleIdOrLabel']}`;
    const set = `${RESOURCE_SETS}/${bound['resourceSetIdOrLabel']}`;
    const members = [`${org.baseUrl}${userPath(client.userId)}`];
    expect(await client.get(role)).toMatchObject({ status: 200 });
    const other = await createCustomRole(org, 'apps.manage');
    const attempts = [
      await client.post(`${role}/permissions/svc.apps.manage`, { body: {} }),
      await client.put(role, { body: { label: 'mine', description: 'mine' } }),
      await client.send('PATCH', `${set}/resources`, { body: { additions: [`${org.baseUrl}/api/v1/apps`] } }),
      await client.post(`${set}/bindings`, { body: { role: other.id, members } }),
      await client.post(IAM_ROLES, { body: { label: 'new', description: 'new', permissions: ['svc.apps.manage'] } }),
      await client.post(RESOURCE_SETS, {
        body: { label: 'new', description: 'new', resources: [`${org.baseUrl}/api/v1/apps`] },
      }),
    ];
    for (const attempt of attempts) expect(attempt).toMatchObject(FORBIDDEN);
  });
});

describe('who manages apps', () => {
  test('sees no secret of a client that holds more, and of others does', async () => {
    const client = await org.withRoles('APP_ADMIN');
    const strong = await newServiceClient(service, org, { scopes: ['users.read'], roles: ['SUPER_ADMIN'] });
    const plain = await newServiceClient(service, org, { scopes: ['users.read'] });
    for (const [{ id }, isShown] of [
      [strong, false],
      [plain, true],
    ] as const) {
      const secrets = `/api/v1/apps/${id}/credentials/secrets`;
      const { body } = await org.admin.post(secrets, { body: {} });
      const seen = await client.get(`${secrets}/${body.id}`);
      expect(seen.text.includes(body.client_secret)).toBe(isShown);
    }
  });

  test('gives an own client neither roles nor scopes', async () => {
    const client = await org.withRoles('APP_ADMIN');
    const { id } = await newServiceClient(service, org, { scopes: ['users.read'] });
    const roles = `/oauth2/v1/clients/${id}/roles`;
    expect(await client.post(roles, { body: { type: 'READ_ONLY_ADMIN' } })).toMatchObject(FORBIDDEN);
    const grant = { body: { issuer: org.baseUrl, scopeId: 'svc.users.manage' } };
    expect(await client.post(`/api/v1/apps/${id}/grants`, grant)).toMatchObject(FORBIDDEN);
    expect((await org.admin.get(`${GROUPS}?limit=1`)).status).toBe(200);
  });
});
