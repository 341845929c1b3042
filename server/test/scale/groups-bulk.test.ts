import { describe, expect, test } from 'vitest';
import type { Context } from '../../src/kernel/context.ts';
import { addMembers, groupsOfUser, type MembershipOrigin, removeMembers } from '../../src/management/groups/index.ts';
import { MAXIMUM_EVENTS_PER_INSERT } from '../../src/platform/postgres/unit-of-work.ts';
import { systemContext } from '../../src/system-log/index.ts';
import { createGroup, everyoneOf, groupPath, idsOf } from '../support/groups.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();

const DIRECT = { kind: 'direct' } as const;
const rule = (ruleId: string) => ({ kind: 'rule', ruleId }) as const;
const [ONE, TWO] = [rule('0pr00000000000000001'), rule('0pr00000000000000002')];

const context = (of: TestOrg = org): Context =>
  systemContext({ orgId: of.id, namespace: service.application.namespace, name: 'test', now: of.now() });

const change =
  (apply: typeof addMembers) =>
  (groupId: string, userIds: readonly string[], origin: MembershipOrigin): Promise<readonly string[]> => {
    const given = context();
    return service.application.work(given, (tx, record) => apply(tx, given, record, groupId, userIds, origin));
  };
const add = change(addMembers);
const remove = change(removeMembers);

const membersOf = async (groupId: string): Promise<string[]> =>
  idsOf((await org.admin.get(`${groupPath(groupId)}/users`)).body);
const ruleRows = async (groupId: string): Promise<number> => {
  const text = 'select 1 from group_rule_members where org_id = $1 and group_id = $2';
  return (await service.database.pool.query(text, [org.id, groupId])).rows.length;
};

async function manyUsers(count: number): Promise<string[]> {
  const { id } = await org.createUser();
  const { rows } = await service.database.pool.query<{ id: string }>(
    `insert into users (org_id, id, type_id, status, login, login_key, short_login_key, normal_form_version, profile,
       provider_type, provider_name, has_password, created_at, last_updated_at)
     select u.org_id, '00u' || lpad(n::text, 14, '0') || right(u.id, 3), u.type_id, u.status, n || u.login,
       n || u.login_key, n || u.short_login_key, u.normal_form_version, u.profile, u.provider_type, u.provider_name,
       false, u.created_at, u.last_updated_at
     from users u cross join generate_series(1, $3::integer) n where u.org_id = $1 and u.id = $2 returning id`,
    [org.id, id, count],
  );
  return idsOf(rows);
}

describe('many at once', () => {
  test('more users than events of one insert join and leave with a few statements, each with its event', async () => {
    const [group, ids] = [await createGroup(org), await manyUsers(MAXIMUM_EVENTS_PER_INSERT + 1)];
    let statements = 0;
    const given = context();
    const counted = await service.application.work(given, async (tx, record) => {
      const executeQuery = tx.executeQuery.bind(tx);
      Object.assign(tx, {
        executeQuery: (...query: Parameters<typeof executeQuery>) => {
          statements += 1;
          return executeQuery(...query);
        },
      });
      return addMembers(tx, given, record, group.id, ids, DIRECT);
    });
    expect(counted).toHaveLength(ids.length);
    expect(statements).toBeLessThan(10);
    const { rows } = await service.database.pool.query<{ count: number }>(
      `select count(*)::integer as count from log_inputs where org_id = $1 and event_type = $2
       union all select count(*)::integer from log_unsealed where org_id = $1 and event_type = $2`,
      [org.id, 'group.user_membership.add'],
    );
    expect(rows.reduce((sum, row) => sum + row.count, 0)).toBeGreaterThanOrEqual(ids.length);
    expect(await add(group.id, ids, DIRECT)).toEqual([]);
    expect(await remove(group.id, ids, DIRECT)).toHaveLength(ids.length);
    expect(await membersOf(group.id)).toEqual([]);
    await service.drained();
  }, 120_000);

  test('unknown users, users of another org and repetitions are passed over', async () => {
    const other = await service.newOrg();
    const [group, user, them] = [await createGroup(org), await org.createUser(), await other.createUser()];
    expect(await add(group.id, [user.id, them.id, user.id, '00u00000000000000000', ''], DIRECT)).toEqual([user.id]);
    expect(await membersOf(group.id)).toEqual([user.id]);
    expect(await remove(group.id, [them.id, user.id, user.id], DIRECT)).toEqual([user.id]);
  });

  test('a group that is not there, is another org’s, or is everyone’s takes nobody', async () => {
    const other = await service.newOrg();
    const user = await org.createUser();
    for (const { id } of [{ id: '00g00000000000000000' }, await createGroup(other), await everyoneOf(org)]) {
      expect(await add(id, [user.id], DIRECT)).toEqual([]);
      expect(await remove(id, [user.id], DIRECT)).toEqual([]);
    }
  });

  test('nobody at all is no change', async () => {
    const group = await createGroup(org);
    expect(await add(group.id, [], DIRECT)).toEqual([]);
    expect(await remove(group.id, [], DIRECT)).toEqual([]);
  });
});

describe('who gave a membership', () => {
  test('it lasts until the last rule lets go', async () => {
    const [group, user] = [await createGroup(org), await org.createUser()];
    expect(await add(group.id, [user.id], ONE)).toEqual([user.id]);
    expect(await add(group.id, [user.id], TWO)).toEqual([]);
    expect(await remove(group.id, [user.id], ONE)).toEqual([]);
    expect(await membersOf(group.id)).toEqual([user.id]);
    expect(await remove(group.id, [user.id], ONE)).toEqual([]);
    expect(await remove(group.id, [user.id], TWO)).toEqual([user.id]);
    expect(await membersOf(group.id)).toEqual([]);
    expect(await ruleRows(group.id)).toBe(0);
  });

  test('what was given by hand too stays, in whichever order', async () => {
    for (const origins of [[DIRECT, ONE] as const, [ONE, DIRECT] as const]) {
      const [group, user] = [await createGroup(org), await org.createUser()];
      expect(await add(group.id, [user.id], origins[0])).toEqual([user.id]);
      expect(await add(group.id, [user.id], origins[1])).toEqual([]);
      expect(await remove(group.id, [user.id], ONE)).toEqual([]);
      expect(await membersOf(group.id)).toEqual([user.id]);
    }
  });

  test('by hand it ends whoever gave it', async () => {
    const [group, user] = [await createGroup(org), await org.createUser()];
    await add(group.id, [user.id], ONE);
    await add(group.id, [user.id], TWO);
    expect(await remove(group.id, [user.id], DIRECT)).toEqual([user.id]);
    expect(await membersOf(group.id)).toEqual([]);
  });

  test('two rules that let go at once leave nobody behind', async () => {
    for (let round = 0; round < 8; round += 1) {
      const [group, user] = [await createGroup(org), await org.createUser()];
      await add(group.id, [user.id], ONE);
      await add(group.id, [user.id], TWO);
      const ended = await Promise.all([remove(group.id, [user.id], ONE), remove(group.id, [user.id], TWO)]);
      expect(ended.flat()).toEqual([user.id]);
      expect(await membersOf(group.id)).toEqual([]);
    }
  });

  test('a rule that gives while another lets go leaves a membership with its reason', async () => {
    for (let round = 0; round < 8; round += 1) {
      const [group, user] = [await createGroup(org), await org.createUser()];
      await add(group.id, [user.id], ONE);
      await Promise.all([remove(group.id, [user.id], ONE), add(group.id, [user.id], TWO)]);
      expect(await membersOf(group.id)).toEqual([user.id]);
      expect(await ruleRows(group.id)).toBe(1);
    }
  });
});

test('whoever asks for groups is told of everyone’s too', async () => {
  const { db } = service.application;
  const [group, user, everyone] = [await createGroup(org), await org.createUser(), await everyoneOf(org)];
  await add(group.id, [user.id], DIRECT);
  expect(await groupsOfUser(db, org.id, user.id)).toEqual([group.id, everyone.id].toSorted());
  expect(await groupsOfUser(db, org.id, org.adminUserId)).not.toContain(group.id);
  expect(await groupsOfUser(db, org.id, '00u00000000000000000')).toEqual([]);
  const other = await service.newOrg();
  expect(await groupsOfUser(db, other.id, user.id)).toEqual([]);
});
