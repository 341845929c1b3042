import { describe, expect, test } from 'vitest';
import { ROLE_TYPES } from '../../src/access/index.ts';
import { createApp, invalidField, serviceApp } from '../support/apps.ts';
import { addMember, createGroup, everyoneOf, groupPath } from '../support/groups.ts';
import { bindRole, createCustomRole, createResourceSet, IAM_ROLES, RESOURCE_SETS } from '../support/roles.ts';
import { useService } from '../support/use-service.ts';
import { userPath } from '../support/users.ts';

const { service, org } = useService();

const FORBIDDEN = { status: 403, body: { errorCode: 'E0000006' } };
const UNKNOWN = { status: 404, body: { errorCode: 'E0000007' } };
const bindingsOf = (setId: string): string => `${RESOURCE_SETS}/${setId}/bindings`;
const membersOf = (setId: string, roleId: string): string => `${bindingsOf(setId)}/${roleId}/members`;
const at = (path: string): string => `${org.baseUrl}${path}`;

async function newPair() {
  const [role, set] = [await createCustomRole(org, 'users.read'), await createResourceSet(org)];
  return { role, set };
}

describe('a binding', () => {
  test('is made with members, read, listed and deleted', async () => {
    const { role, set } = await newPair();
    const [user, group] = [await org.createUser(), await createGroup(org)];
    const members = [at(userPath(user.id)), `orn:svc:directory:${org.id}:groups:${group.id}`];
    const made = await org.admin.post(bindingsOf(set.id), { body: { role: role.id, members } });
    const address = at(`${bindingsOf(set.id)}/${role.id}`);
    const setAddress = at(`${RESOURCE_SETS}/${set.id}`);
    expect(made).toMatchObject({
      status: 200,
      body: {
        _links: {
          self: { href: address },
          bindings: { href: `${setAddress}/bindings` },
          'resource-set': { href: setAddress },
        },
      },
    });
    expect((await org.admin.get(`${bindingsOf(set.label)}/${role.label}`.replaceAll(' ', '%20'))).body).toMatchObject({
      id: role.id,
      _links: { self: { href: address }, members: { href: `${address}/members` } },
    });
    expect((await org.admin.get(bindingsOf(set.id))).body).toMatchObject({
      roles: [{ id: role.id, _links: { self: { href: at(`${IAM_ROLES}/${role.id}`) } } }],
      _links: { self: { href: `${setAddress}/bindings` }, 'resource-set': { href: setAddress } },
    });
    const listed = (await org.admin.get(membersOf(set.id, role.id))).body;
    expect(
      listed.members.map((member: { _links: { self: { href: string } } }) => member._links.self.href).toSorted(),
    ).toEqual([at(userPath(user.id)), at(groupPath(group.id))].toSorted());
    for (const member of listed.members) expect(member.id).toMatch(/^irb[0-9A-Za-z]{17}$/);
    expect(await org.admin.del(`${bindingsOf(set.id)}/${role.id}`)).toMatchObject({ status: 204 });
    expect(await org.admin.get(`${bindingsOf(set.id)}/${role.id}`)).toMatchObject(UNKNOWN);
    expect((await org.admin.get(`${userPath(user.id)}/roles`)).body).toEqual([]);
    const events = await org.systemLog(`target.id eq "${set.id}" and eventType sw "iam.resourceset.bindings"`);
    expect(events.map(({ eventType }) => eventType)).toEqual([
      'iam.resourceset.bindings.add',
      'iam.resourceset.bindings.add',
      'iam.resourceset.bindings.add',
      'iam.resourceset.bindings.delete',
    ]);
    expect(events.at(-1)?.target[0].changeDetails).toMatchObject({
      from: { role: role.id, members: expect.arrayContaining([user.id, group.id]) },
      to: { role: null, members: [] },
    });
  });

  test('may have no members, and is there once', async () => {
    const { role, set } = await newPair();
    const twice = await Promise.all([1, 2].map(() => org.admin.post(bindingsOf(set.id), { body: { role: role.id } })));
    expect(twice.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 400]);
    expect((await org.admin.get(membersOf(set.id, role.id))).body.members).toEqual([]);
  });

  test('of what is not there is refused', async () => {
    const { role, set } = await newPair();
    const other = await service.newOrg();
    const [theirRole, theirs] = [await createCustomRole(other), await other.createUser()];
    const everyone = await everyoneOf(org);
    const post = (body: unknown, setId = set.id) => org.admin.post(bindingsOf(setId), { body });
    expect(await post({ role: theirRole.id })).toMatchObject(invalidField('role'));
    expect(await post({ role: role.id }, 'nobody')).toMatchObject(UNKNOWN);
    for (const member of [at(userPath(theirs.id)), 'https://elsewhere.example/api/v1/users/x', 'nobody', at('/x')]) {
      expect(await post({ role: role.id, members: [member] }), member).toMatchObject(invalidField('members'));
    }
    expect(await post({ role: role.id, members: [at(groupPath(everyone.id))] })).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000211' },
    });
    expect((await org.admin.get(bindingsOf(set.id))).body.roles).toEqual([]);
  });

  test.each(ROLE_TYPES.filter((type) => type !== 'SUPER_ADMIN'))('is made and changed by no %s', async (type) => {
    const client = await org.withRoles(type);
    const { role, set } = await newPair();
    const members = [at(userPath(client.userId))];
    expect(await client.post(bindingsOf(set.id), { body: { role: role.id, members } })).toMatchObject(FORBIDDEN);
    const bound = await bindRole(org, { permissions: ['users.manage'] });
    const { resourceSetIdOrLabel: setId = '', roleIdOrLabel: roleId = '' } = bound;
    const additions = { body: { additions: members } };
    expect(await client.send('PATCH', membersOf(setId, roleId), additions)).toMatchObject(FORBIDDEN);
    expect(await client.del(`${bindingsOf(setId)}/${roleId}`)).toMatchObject(FORBIDDEN);
  });
});

describe('members', () => {
  test('are added once, read and taken', async () => {
    const { role, set } = await newPair();
    await org.admin.post(bindingsOf(set.id), { body: { role: role.id } });
    const client = await createApp(org, serviceApp());
    const additions = [at(`/oauth2/v1/clients/${client.id}`)];
    const path = membersOf(set.id, role.id);
    for (let time = 0; time < 2; time += 1) {
      expect(await org.admin.send('PATCH', path, { body: { additions } })).toMatchObject({ status: 200 });
    }
    const { members } = (await org.admin.get(path)).body;
    expect(members).toHaveLength(1);
    const member = `${path}/${members[0].id}`;
    expect((await org.admin.get(member)).body).toEqual(members[0]);
    expect(await org.admin.del(member)).toMatchObject({ status: 204 });
    expect(await org.admin.get(member)).toMatchObject(UNKNOWN);
    expect(await org.admin.del(member)).toMatchObject(UNKNOWN);
    expect(
      await org.systemLog(`target.id eq "${client.id}" and eventType sw "app.oauth2.client.privilege"`),
    ).toMatchObject([
      { eventType: 'app.oauth2.client.privilege.grant' },
      { eventType: 'app.oauth2.client.privilege.revoke' },
    ]);
  });

  test('are at most 1,000, whichever way the last one comes', async () => {
    const own = await service.newOrg();
    const [role, set] = [await createCustomRole(own, 'users.read'), await createResourceSet(own)];
    expect(await own.admin.post(bindingsOf(set.id), { body: { role: role.id } })).toMatchObject({ status: 200 });
    const group = await createGroup(own);
    const { pool } = service.database;
    await pool.query(
      `insert into groups (org_id, id, type, name, name_key, profile, created_at, last_updated_at,
         last_membership_updated_at)
       select g.org_id, 'many' || n, g.type, g.name || ' ' || n, g.name_key || ' ' || n, g.profile, g.created_at,
         g.created_at, g.created_at
       from groups g, generate_series(1, 999) n where g.org_id = $1 and g.id = $2`,
      [own.id, group.id],
    );
    await pool.query(
      `insert into role_binding_members (org_id, resource_set_id, role_id, id, member_type, member_id, created_at,
         last_updated_at)
       select $1, $2, $3, id, 'GROUP', id, now(), now() from groups where org_id = $1 and id like 'many%'`,
      [own.id, set.id, role.id],
    );
    const assign = async () => {
      const user = await own.createUser();
      const body = { type: 'CUSTOM', role: role.id, 'resource-set': set.id };
      return own.admin.post(`${userPath(user.id)}/roles`, { body });
    };
    // There is room for only one of these two concurrent assignments.
    const answers = await Promise.all([assign(), assign()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400]);
    expect(answers.find(({ status }) => status === 400)).toMatchObject(invalidField('members'));
    const additions = [`${own.baseUrl}${userPath((await own.createUser()).id)}`];
    expect(await own.admin.send('PATCH', membersOf(set.id, role.id), { body: { additions } })).toMatchObject(
      invalidField('members'),
    );
    expect(await assign()).toMatchObject(invalidField('members'));
  });

  test('that are deleted leave it', async () => {
    const group = await createGroup(org);
    const bound = await bindRole(org, { members: [at(groupPath(group.id))] });
    await org.admin.del(groupPath(group.id));
    const path = membersOf(bound['resourceSetIdOrLabel'] ?? '', bound['roleIdOrLabel'] ?? '');
    expect((await org.admin.get(path)).body.members).toEqual([]);
  });
});

describe('a custom role of somebody', () => {
  const HOLDERS: readonly (readonly [string, string, () => Promise<string>])[] = [
    ['user', 'USER', async () => userPath((await org.createUser()).id)],
    ['group', 'GROUP', async () => groupPath((await createGroup(org)).id)],
    ['client', 'CLIENT', async () => `/oauth2/v1/clients/${(await createApp(org, serviceApp())).id}`],
  ];

  test.each(HOLDERS)('%s: assigned with a set, listed, readable, taken', async (_, assignmentType, newHolder) => {
    const { role, set } = await newPair();
    const path = await newHolder();
    const body = { type: 'CUSTOM', role: role.id, 'resource-set': set.id };
    const assigned = await org.admin.post(`${path}/roles`, { body });
    const setAddress = at(`${RESOURCE_SETS}/${set.id}`);
    expect(assigned).toMatchObject({
      status: 201,
      body: {
        id: expect.stringMatching(/^irb/),
        role: role.id,
        label: role.label,
        type: 'CUSTOM',
        status: 'ACTIVE',
        assignmentType,
        'resource-set': set.id,
        _links: {
          assignee: { href: at(path) },
          role: { href: at(`${IAM_ROLES}/${role.id}`) },
          'resource-set': { href: setAddress },
          permissions: { href: at(`${IAM_ROLES}/${role.id}/permissions`) },
          member: { href: `${setAddress}/bindings/${role.id}/members/${assigned.body.id}` },
        },
      },
    });
    expect(await org.admin.post(`${path}/roles`, { body })).toMatchObject({
      status: 409,
      body: { errorCode: 'E0000090' },
    });
    expect((await org.admin.get(`${path}/roles`)).body).toEqual([assigned.body]);
    expect((await org.admin.get(`${path}/roles/${assigned.body.id}`)).body).toEqual(assigned.body);
    expect((await org.admin.get(membersOf(set.id, role.id))).body.members).toHaveLength(1);
    expect(await org.admin.get(`${path}/roles/${assigned.body.id}/targets/groups`)).toMatchObject(UNKNOWN);
    expect(await org.admin.del(`${path}/roles/${assigned.body.id}`)).toMatchObject({ status: 204 });
    expect((await org.admin.get(`${path}/roles`)).body).toEqual([]);
    expect((await org.admin.get(membersOf(set.id, role.id))).body.members).toEqual([]);
  });

  test.each([
    ['role', { type: 'CUSTOM' }],
    ['resource-set', { type: 'CUSTOM', role: 'cr0' }],
    ['role', { type: 'CUSTOM', role: 'cr0', 'resource-set': 'iam' }],
  ])('is refused for its %s: %j', async (field, body) => {
    const { id } = await org.createUser();
    expect(await org.admin.post(`${userPath(id)}/roles`, { body })).toMatchObject(invalidField(field));
  });

  test('reaches what the set holds, by groups too, and nothing once any part of it is gone', async () => {
    const [group, bearing] = [await createGroup(org), await createGroup(org)];
    const [inside, outside] = [await org.createUser(), await org.createUser()];
    await addMember(org, group.id, inside.id);
    const holder = await org.withRoles();
    await addMember(org, bearing.id, holder.userId);
    const options = {
      permissions: ['users.lifecycle.suspend'],
      paths: [`${groupPath(group.id)}/users`],
      members: [at(groupPath(bearing.id))],
    };
    for (const end of ['role', 'set', 'binding', 'resource', 'permission'] as const) {
      const bound = await bindRole(org, options);
      const { resourceId = '', resourceSetIdOrLabel: setId = '', roleIdOrLabel: roleId = '' } = bound;
      expect(await holder.get(userPath(inside.id))).toMatchObject({ status: 200 });
      expect(await holder.get(userPath(outside.id))).toMatchObject(FORBIDDEN);
      expect(await holder.post(`${userPath(outside.id)}/lifecycle/suspend`)).toMatchObject(FORBIDDEN);
      expect(await holder.post(`${userPath(inside.id)}/lifecycle/unsuspend`)).toMatchObject(FORBIDDEN);
      const ends = {
        role: `${IAM_ROLES}/${roleId}`,
        set: `${RESOURCE_SETS}/${setId}`,
        binding: `${bindingsOf(setId)}/${roleId}`,
        resource: `${RESOURCE_SETS}/${setId}/resources/${resourceId}`,
        permission: `${IAM_ROLES}/${roleId}/permissions/svc.users.lifecycle.suspend`,
      };
      expect(await org.admin.del(ends[end])).toMatchObject({ status: 204 });
      expect(await holder.get(userPath(inside.id)), end).toMatchObject(FORBIDDEN);
    }
  });
});
