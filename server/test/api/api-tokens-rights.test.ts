import { describe, expect, test } from 'vitest';
import { addMember, createGroup, groupPath, memberPath } from '../support/groups.ts';
import { assign, bindRole, type Holder, IAM_ROLES, RESOURCE_SETS, withTargets } from '../support/roles.ts';
import { useService } from '../support/use-service.ts';
import { CREDENTIALS, userPath } from '../support/users.ts';

// The rights of an API token follow the rights of its owner (attack 98 in docs/security-rows.md).

const { service, org } = useService({ isShared: false });

const FORBIDDEN = { status: 403, body: { errorCode: 'E0000006' } };

async function after(change: Promise<{ readonly status: number; readonly text: string }>): Promise<void> {
  const { status, text } = await change;
  expect(status, text).toBeLessThan(300);
  service.clock.advance(1_000);
}

const read = (client: Holder, userId: string) => client.get(userPath(userId));

describe('rights end with', () => {
  test('the membership of a group that gives them, and with its role', async () => {
    const [group, target, client] = [await createGroup(org), await org.createUser(), await org.withRoles()];
    const role = await assign(org, groupPath(group.id), 'USER_ADMIN');
    await addMember(org, group.id, client.userId);
    service.clock.advance(1_000);
    expect(await read(client, target.id)).toMatchObject({ status: 200 });
    await after(org.admin.del(memberPath(group.id, client.userId)));
    expect(await read(client, target.id)).toMatchObject(FORBIDDEN);
    await after(org.admin.put(memberPath(group.id, client.userId)));
    expect(await read(client, target.id)).toMatchObject({ status: 200 });
    await after(org.admin.del(`${groupPath(group.id)}/roles/${role.id}`));
    expect(await read(client, target.id)).toMatchObject(FORBIDDEN);
  });

  test('a target: what is outside is closed from then on', async () => {
    const [group, inside, outside] = [await createGroup(org), await org.createUser(), await org.createUser()];
    await addMember(org, group.id, inside.id);
    const client = await org.withRoles();
    const role = await assign(org, userPath(client.userId), 'USER_ADMIN');
    expect(await read(client, outside.id)).toMatchObject({ status: 200 });
    await after(org.admin.put(`${userPath(client.userId)}/roles/${role.id}/targets/groups/${group.id}`));
    expect(await read(client, outside.id)).toMatchObject(FORBIDDEN);
    expect(await read(client, inside.id)).toMatchObject({ status: 200 });
    await after(org.admin.del(memberPath(group.id, inside.id)));
    expect(await read(client, inside.id)).toMatchObject(FORBIDDEN);
  });

  test.each([
    [
      'a permission of a custom role',
      (bound: Record<string, string>) => {
        return `${IAM_ROLES}/${bound['roleIdOrLabel']}/permissions/svc.users.lifecycle.suspend`;
      },
    ],
    [
      'a resource of its set',
      (bound: Record<string, string>) => {
        return `${RESOURCE_SETS}/${bound['resourceSetIdOrLabel']}/resources/${bound['resourceId']}`;
      },
    ],
    [
      'the place in a binding',
      (bound: Record<string, string>) => {
        const binding = `${RESOURCE_SETS}/${bound['resourceSetIdOrLabel']}/bindings/${bound['roleIdOrLabel']}`;
        return `${binding}/members/${bound['memberId']}`;
      },
    ],
    [
      'the binding',
      (bound: Record<string, string>) => {
        return `${RESOURCE_SETS}/${bound['resourceSetIdOrLabel']}/bindings/${bound['roleIdOrLabel']}`;
      },
    ],
  ] as const)('%s', async (_name, whereOf) => {
    const [client, target] = [await org.withRoles(), await org.createUser({ credentials: CREDENTIALS })];
    const bound = await bindRole(org, {
      permissions: ['users.lifecycle.suspend', 'groups.read'],
      paths: ['/api/v1/users'],
      members: [`${org.baseUrl}${userPath(client.userId)}`],
    });
    service.clock.advance(1_000);
    const suspend = () => client.post(`${userPath(target.id)}/lifecycle/suspend`);
    expect(await suspend()).toMatchObject({ status: 200 });
    await org.admin.post(`${userPath(target.id)}/lifecycle/unsuspend`);
    await after(org.admin.del(whereOf(bound)));
    expect(await suspend()).toMatchObject(FORBIDDEN);
    expect((await org.admin.get(userPath(target.id))).body.status).toBe('ACTIVE');
  });
});

describe('rights that the owner has not', () => {
  test('no token has, and it gets those that the owner is given', async () => {
    const client = await org.withRoles();
    expect(await client.get('/api/v1/org')).toMatchObject(FORBIDDEN);
    await after(org.admin.post(`${userPath(client.userId)}/roles`, { body: { type: 'ORG_ADMIN' } }));
    expect(await client.get('/api/v1/org')).toMatchObject({ status: 200 });
  });

  test('a narrowed owner lists and revokes no tokens, and reads those of others never', async () => {
    const group = await createGroup(org);
    const client = await withTargets(org, 'USER_ADMIN', { groups: [group.id] });
    expect(await client.get('/api/v1/api-tokens')).toMatchObject(FORBIDDEN);
    const [{ id }] = (await org.admin.get('/api/v1/api-tokens')).body;
    expect(await client.get(`/api/v1/api-tokens/${id}`)).toMatchObject(FORBIDDEN);
    expect(await client.del(`/api/v1/api-tokens/${id}`)).toMatchObject(FORBIDDEN);
  });

  test('nobody makes a token that belongs to somebody else', async () => {
    const [client, other] = [await org.withRoles('ORG_ADMIN'), await org.withRoles('HELP_DESK_ADMIN')];
    const tokens = (await org.admin.get('/api/v1/api-tokens?limit=200')).body as { id: string; userId: string }[];
    const own = tokens.find(({ userId }) => userId === client.userId)?.id;
    const given = { name: 'mine', userId: other.userId };
    const updated = await client.put(`/api/v1/api-tokens/${own}`, { body: given });
    expect([200, 400]).toContain(updated.status);
    expect((await client.get(`/api/v1/api-tokens/${own}`)).body.userId).toBe(client.userId);
    expect((await client.post('/api/v1/api-tokens', { body: given })).status).toBeGreaterThanOrEqual(400);
  });
});
