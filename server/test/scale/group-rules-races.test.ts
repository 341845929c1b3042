import { describe, expect, test } from 'vitest';
import { namespaceOf } from '../../src/kernel/words/namespace.ts';
import { beginPass, endPass } from '../../src/management/group-rules/evaluation/state-store.ts';
import type { Tx } from '../../src/platform/postgres/index.ts';
import { systemContext } from '../../src/system-log/index.ts';
import {
  activeRule,
  changeRule,
  createRule,
  membersOf,
  newRule,
  RULES,
  rulePath,
  rulesSettled,
} from '../support/group-rules.ts';
import { addMember, createGroup, groupPath, memberPath } from '../support/groups.ts';
import { startTestService, type TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { userPath } from '../support/users.ts';

const { service } = useService({ maximumConnections: 20 });
let org: TestOrg;

async function newTarget(): Promise<string> {
  org = await service.newOrg();
  return (await createGroup(org)).id;
}

const DEPARTMENTS = ['Sales', 'Legal'] as const;
const moved = (id: string, department: string) => org.admin.post(userPath(id), { body: { profile: { department } } });

async function salesPeople(ids: readonly string[]): Promise<string[]> {
  const users = await Promise.all(ids.map((id) => org.admin.get(userPath(id))));
  return users
    .filter(({ body }) => body.profile.department === 'Sales')
    .map(({ body }) => body.id as string)
    .toSorted();
}

describe('users who change while a rule is activated', () => {
  test('end where their last profile says, whichever came first', async () => {
    const target = await newTarget();
    const made = await Promise.all(
      Array.from({ length: 24 }, (_, index) => org.createUser({ profile: { department: DEPARTMENTS[index % 2] } })),
    );
    const ids: string[] = made.map(({ id }) => id);
    const rule = await createRule(org, [target], 'user.department == "Sales"');
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all([
        ...ids.map((id, index) => moved(id, DEPARTMENTS[(index + round) % 2] ?? '')),
        org.admin.post(`${rulePath(rule.id)}/lifecycle/activate`),
        ...Array.from({ length: 4 }, () => org.createUser({ profile: { department: 'Sales' } })).map(async (user) => {
          ids.push((await user).id);
          return { status: 200 };
        }),
      ]);
      expect(answers.filter(({ status }) => status >= 300)).toEqual([]);
      await rulesSettled(service, org);
      expect(await membersOf(org, target)).toEqual(await salesPeople(ids));
      await changeRule(org, rule.id, 'deactivate');
    }
  });

  test('and while it is deactivated and activated again and again', async () => {
    const target = await newTarget();
    const made = await Promise.all(
      Array.from({ length: 12 }, () => org.createUser({ profile: { department: 'Legal' } })),
    );
    const ids = made.map(({ id }): string => id);
    const rule = await activeRule(service, org, [target], 'user.department == "Sales"');
    const flips = async () => {
      for (const action of ['deactivate', 'activate', 'deactivate', 'activate'] as const) {
        await changeRule(org, rule.id, action);
      }
    };
    const moves = async (id: string, index: number) => {
      for (let turn = 0; turn < 4; turn += 1) {
        expect((await moved(id, DEPARTMENTS[(turn + index) % 2] ?? '')).status).toBe(200);
      }
    };
    await Promise.all([flips(), ...ids.map(moves)]);
    await rulesSettled(service, org);
    expect(await membersOf(org, target)).toEqual(await salesPeople(ids));
  });
});

describe('at once', () => {
  test('two administrators activate one rule: one event', async () => {
    const target = await newTarget();
    const rule = await createRule(org, [target], 'true');
    const answers = await Promise.all([1, 2, 3].map(() => org.admin.post(`${rulePath(rule.id)}/lifecycle/activate`)));
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204]);
    await rulesSettled(service, org);
    expect(await org.systemLog('eventType eq "group.user_membership.rule.trigger"')).toHaveLength(1);
  });

  test('a group is deleted while users are put into it and its rule is activated: never a 500', async () => {
    for (let round = 0; round < 5; round += 1) {
      const target = await newTarget();
      const rule = await createRule(org, [target], 'user.department == "Sales"');
      const answers = await Promise.all([
        org.admin.post(`${rulePath(rule.id)}/lifecycle/activate`),
        org.admin.del(groupPath(target)),
        ...Array.from({ length: 6 }, (_, index) =>
          org.admin.post('/api/v1/users', {
            body: {
              profile: {
                login: `race${index}@example.com`,
                email: `race${index}@example.com`,
                firstName: 'A',
                lastName: 'B',
                department: 'Sales',
              },
            },
          }),
        ),
      ]);
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      expect(answers.slice(1).map(({ status }) => status)).toEqual([204, ...Array.from({ length: 6 }, () => 200)]);
      await rulesSettled(service, org);
      expect((await org.admin.get(rulePath(rule.id))).body.status).toBe('INVALID');
    }
  });

  test('a rule is made while its group is deleted: there is no rule, or it is INVALID', async () => {
    for (let round = 0; round < 5; round += 1) {
      const target = await newTarget();
      const [created, deleted] = await Promise.all([
        org.admin.post(RULES, { body: newRule([target]) }),
        org.admin.del(groupPath(target)),
      ]);
      expect(deleted.status).toBe(204);
      if (created.status === 200) {
        expect((await org.admin.get(rulePath(created.body.id))).body.status).toBe('INVALID');
      } else {
        expect(created).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
      }
    }
  });

  test('somebody is taken out while his profile changes: he stays out', async () => {
    const target = await newTarget();
    const rule = await activeRule(service, org, [target], 'user.department == "Sales"');
    for (let round = 0; round < 8; round += 1) {
      const { id } = await org.createUser({ profile: { department: 'Sales' } });
      const [removed, changed] = await Promise.all([
        org.admin.del(memberPath(target, id)),
        org.admin.post(userPath(id), { body: { profile: { title: `Dr ${round}` } } }),
      ]);
      expect([removed.status, changed.status]).toEqual([204, 200]);
      expect(await membersOf(org, target)).toEqual([]);
      expect((await org.admin.get(rulePath(rule.id))).body.conditions.people.users.exclude).toContain(id);
    }
  });

  test('a rule is deleted while users change: nobody is left in its hands', async () => {
    const target = await newTarget();
    const rule = await activeRule(service, org, [target], 'user.department == "Sales"');
    const made = await Promise.all(
      Array.from({ length: 10 }, () => org.createUser({ profile: { department: 'Sales' } })),
    );
    await addMember(org, target, made[0].id);
    const answers = await Promise.all([
      ...made.map(({ id }, index) => moved(id, DEPARTMENTS[index % 2] ?? '')),
      org.admin.del(`${rulePath(rule.id)}?removeUsers=true`),
    ]);
    expect(answers.map(({ status }) => status).filter((status) => status >= 300)).toEqual([]);
    await rulesSettled(service, org);
    expect(await membersOf(org, target)).toEqual([made[0].id]);
  });
});

test('two processes share a pass and come to the same', async () => {
  const other = await startTestService({ database: service.database });
  try {
    const target = await newTarget();
    const made = await Promise.all(
      Array.from({ length: 10 }, () => org.createUser({ profile: { department: 'Sales' } })),
    );
    const rule = await createRule(org, [target], 'user.department == "Sales"');
    await changeRule(org, rule.id, 'activate');
    other.application.jobs.wake();
    await rulesSettled(service, org);
    expect(await membersOf(org, target)).toEqual(made.map(({ id }): string => id).toSorted());
    expect(await org.systemLog('eventType eq "group.user_membership.add"')).toHaveLength(10);
  } finally {
    await other.close();
  }
});

describe('a process that goes on late', () => {
  test('does not end or begin a pass that another one has advanced', async () => {
    org = await service.newOrg();
    const { pool } = service.database;
    await pool.query(
      `insert into group_rule_states (org_id, version, requested, running, cursor)
       values ($1, gen_random_uuid(), 6, 6, '00ux')`,
      [org.id],
    );
    const run = <Result>(use: (tx: Tx) => Promise<Result>): Promise<Result> =>
      service.application.work(
        systemContext({ orgId: org.id, namespace: namespaceOf('svc'), name: 'test', now: service.clock.now() }),
        use,
      );
    expect(await run((tx) => endPass(tx, org.id, null, service.clock.now()))).toBeNull();
    expect(await run((tx) => beginPass(tx, org.id, service.clock.now()))).toBe(false);
    expect(await run((tx) => endPass(tx, org.id, '00ux', service.clock.now()))).toBe(false);
    expect(await run((tx) => beginPass(tx, org.id, service.clock.now()))).toBe(true);
  });

  test('does not add a member whom an administrator has removed meanwhile', async () => {
    const target = await newTarget();
    const { id } = await org.createUser({ profile: { department: 'Sales' } });
    const rule = await activeRule(service, org, [target], 'user.department == "Sales"');
    expect(await membersOf(org, target)).toEqual([id]);
    const holder = await service.database.pool.connect();
    await holder.query('begin');
    await holder.query('select from users where org_id = $1 and id = $2 for update', [org.id, id]);
    await changeRule(org, rule.id, 'deactivate');
    expect((await org.admin.del(`${rulePath(rule.id)}?removeUsers=false`)).status).toBe(202);
    const waits = async (): Promise<boolean> => {
      const text = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%for no key update%'
        and datname = current_database()`;
      return (await service.database.pool.query(text)).rows.length > 0;
    };
    await expect.poll(waits, { interval: 10 }).toBe(true);
    await holder.query('delete from group_rule_members where org_id = $1', [org.id]);
    await holder.query('delete from group_members where org_id = $1 and group_id = $2', [org.id, target]);
    await holder.query('commit');
    holder.release();
    await rulesSettled(service, org);
    expect(await membersOf(org, target)).toEqual([]);
  });
});
