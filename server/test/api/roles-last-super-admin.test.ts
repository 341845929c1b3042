import { describe, expect, test } from 'vitest';
import { addMember, createGroup, groupPath, memberPath } from '../support/groups.ts';
import { assign, type Holder } from '../support/roles.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { USER_STATUSES, userIn, userPath } from '../support/users.ts';

// This file tests that an org keeps a super administrator who can act (attack 34 in docs/security-rows.md).

const { service } = useService({ isShared: false });

const FORBIDDEN = { status: 403, body: { errorCode: 'E0000006' } };

async function left({ id }: TestOrg): Promise<number> {
  const text = `select count(distinct u.id)::integer as count from role_holders h
    join users u on u.org_id = h.org_id and u.id = h.holder_id
    where h.org_id = $1 and h.role_type = 'SUPER_ADMIN' and u.status not in ('STAGED', 'SUSPENDED', 'DEPROVISIONED')`;
  const { rows } = await service.database.pool.query<{ count: number }>(text, [id]);
  return rows[0]?.count ?? 0;
}

/** An org with two super administrators: one through a direct assignment, one through a group. */
interface Pair {
  readonly own: TestOrg;
  readonly byGroup: Holder;
  readonly groupId: string;
  readonly roleId: string;
  readonly groupRoleId: string;
}

async function newPair(): Promise<Pair> {
  const own = await service.newOrg();
  const [byGroup, group] = [await own.withRoles(), await createGroup(own)];
  const { id: groupRoleId } = await assign(own, groupPath(group.id), 'SUPER_ADMIN');
  await addMember(own, group.id, byGroup.userId);
  const [{ id: roleId }] = (await own.admin.get(`${userPath(own.adminUserId)}/roles`)).body;
  service.clock.advance(1_000);
  expect(await left(own)).toBe(2);
  return { own, byGroup, groupId: group.id, roleId, groupRoleId };
}

type Way = readonly [name: string, method: string, path: (pair: Pair) => string];

const WAYS_OF_FIRST: readonly Way[] = [
  ['taking the role', 'DELETE', ({ own, roleId }) => `${userPath(own.adminUserId)}/roles/${roleId}`],
  ['suspending', 'POST', ({ own }) => `${userPath(own.adminUserId)}/lifecycle/suspend`],
  ['deactivating', 'POST', ({ own }) => `${userPath(own.adminUserId)}/lifecycle/deactivate`],
  ['deleting', 'DELETE', ({ own }) => userPath(own.adminUserId)],
];

const WAYS_OF_SECOND: readonly Way[] = [
  ['taking out of the group', 'DELETE', ({ byGroup, groupId }) => memberPath(groupId, byGroup.userId)],
  ['deleting the group', 'DELETE', ({ groupId }) => groupPath(groupId)],
  [
    'taking the role of the group',
    'DELETE',
    ({ groupId, groupRoleId }) => `${groupPath(groupId)}/roles/${groupRoleId}`,
  ],
  ['suspending', 'POST', ({ byGroup }) => `${userPath(byGroup.userId)}/lifecycle/suspend`],
  ['deactivating', 'POST', ({ byGroup }) => `${userPath(byGroup.userId)}/lifecycle/deactivate`],
  ['deleting', 'DELETE', ({ byGroup }) => userPath(byGroup.userId)],
];

const PAIRS = WAYS_OF_FIRST.flatMap((first) =>
  WAYS_OF_SECOND.map((second) => [`${first[0]}, ${second[0]}`, first, second] as const),
);

describe('two who remove each other at once: one stays', () => {
  test.each(PAIRS)('%s', async (_name, [, firstMethod, firstPath], [, secondMethod, secondPath]) => {
    const pair = await newPair();
    const { byGroup, own } = pair;
    const answers = await Promise.all([
      byGroup.send(firstMethod, firstPath(pair)),
      own.admin.send(secondMethod, secondPath(pair)),
    ]);
    const statuses = answers.map(({ status }) => status);
    expect(
      statuses.filter((status) => status === 200 || status === 204),
      String(statuses),
    ).toHaveLength(1);
    // The other request was refused, or its administrator could no longer authenticate.
    expect(statuses.filter((status) => status === 401 || status === 403)).toHaveLength(1);
    expect(await left(own)).toBe(1);
  });
});

describe('one after another', () => {
  test.each(PAIRS)(
    '%s: the second is refused',
    async (_name, [, firstMethod, firstPath], [, secondMethod, secondPath]) => {
      const pair = await newPair();
      const { byGroup, own } = pair;
      expect([200, 204]).toContain((await own.admin.send(secondMethod, secondPath(pair))).status);
      service.clock.advance(1_000);
      const refused = await own.admin.send(firstMethod, firstPath(pair));
      expect(refused).toMatchObject(FORBIDDEN);
      expect(refused.body.errorCauses[0].errorSummary).toContain('last super administrator');
      expect(await left(own)).toBe(1);
      expect(byGroup.userId).not.toBe(own.adminUserId);
    },
  );
});

describe('many at once', () => {
  test('of five who all take the role from one another, one keeps it', async () => {
    const own = await service.newOrg();
    const others = [];
    for (let count = 0; count < 4; count += 1) others.push(await own.withRoles('SUPER_ADMIN'));
    const all = [{ ...own.admin, userId: own.adminUserId }, ...others];
    const roles = new Map<string, string>();
    for (const { userId } of all) roles.set(userId, (await own.admin.get(`${userPath(userId)}/roles`)).body[0].id);
    const attempts = all.flatMap((actor) =>
      all.map(({ userId }) => actor.del(`${userPath(userId)}/roles/${roles.get(userId)}`)),
    );
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
    expect(statuses.filter((status) => status === 204)).toHaveLength(all.length - 1);
    expect(await left(own)).toBe(1);
  });

  test('a group whose members are the only ones stays whole enough, whoever leaves', async () => {
    const own = await service.newOrg();
    const group = await createGroup(own);
    await assign(own, groupPath(group.id), 'SUPER_ADMIN');
    const members = [await own.withRoles(), await own.withRoles(), await own.withRoles()];
    for (const { userId } of members) await addMember(own, group.id, userId);
    await addMember(own, group.id, own.adminUserId);
    const [{ id }] = (await own.admin.get(`${userPath(own.adminUserId)}/roles`)).body;
    expect(await own.admin.del(`${userPath(own.adminUserId)}/roles/${id}`)).toMatchObject({ status: 204 });
    const everybody = [...members.map(({ userId }) => userId), own.adminUserId];
    const answers = await Promise.all(everybody.map((userId) => own.admin.del(memberPath(group.id, userId))));
    expect(answers.map(({ status }) => status).filter((status) => status === 204)).toHaveLength(3);
    expect(await left(own)).toBe(1);
  });
});

describe('who does not count as another one', () => {
  const CANNOT_ACT = ['STAGED', 'SUSPENDED', 'DEPROVISIONED'];

  test.each(USER_STATUSES)('%s', async (status) => {
    const own = await service.newOrg();
    const heir = await userIn(own, status);
    const assigned = await own.admin.post(`${userPath(heir.id)}/roles`, { body: { type: 'SUPER_ADMIN' } });
    const [{ id }] = (await own.admin.get(`${userPath(own.adminUserId)}/roles`)).body;
    const demoted = await own.admin.del(`${userPath(own.adminUserId)}/roles/${id}`);
    const isAnother = assigned.status === 201 && !CANNOT_ACT.includes(status);
    expect(demoted.status, assigned.text).toBe(isAnother ? 204 : 403);
  });

  test('an organization administrator', async () => {
    const own = await service.newOrg();
    await own.withRoles('ORG_ADMIN');
    expect(await own.admin.post(`${userPath(own.adminUserId)}/lifecycle/deactivate`)).toMatchObject(FORBIDDEN);
  });
});
