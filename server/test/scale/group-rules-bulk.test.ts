import { describe, expect, test } from 'vitest';
import { USERS_PER_BATCH } from '../../src/management/group-rules/evaluation/evaluation-job.ts';
import { requestPass } from '../../src/management/group-rules/evaluation/state-store.ts';
import { groupRuleJobs } from '../../src/management/group-rules/index.ts';
import { systemContext } from '../../src/system-log/index.ts';
import {
  activated,
  activeRule,
  changeRule,
  createRule,
  membersOf,
  rulePath,
  rulesSettled,
} from '../support/group-rules.ts';
import { addMember, createGroup } from '../support/groups.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf, userPath } from '../support/users.ts';

const { service } = useService();
let org: TestOrg;

/** Creates groups in a new org, so that the rules of one test do not match the users of another test. */
async function newGroups(count: number): Promise<string[]> {
  org = await service.newOrg();
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1) ids.push((await createGroup(org)).id);
  return ids;
}

const inDepartment = (department: string) => org.createUser({ profile: { department } });
const setProfile = async (id: string, profile: Record<string, unknown>) => {
  const answer = await org.admin.post(userPath(id), { body: { profile } });
  expect(answer.status).toBe(200);
  return answer;
};

/** Creates users, every second one in the department `Bulk`. */
async function addPlainUsers(count: number): Promise<void> {
  await service.database.pool.query(
    `insert into users (org_id, id, type_id, status, login, login_key, short_login_key, normal_form_version, profile,
       provider_type, provider_name, has_password, created_at, last_updated_at)
     select u.org_id, '00uBulk' || lpad(n::text, 10, '0') || right(u.org_id, 3), u.type_id, 'ACTIVE',
       'bulk' || n, 'bulk' || n, 'bulk' || n, 1,
       jsonb_build_object('login', 'bulk' || n, 'email', 'b@x.com', 'department', case n % 2 when 0 then 'Bulk' end),
       'INTERNAL', 'INTERNAL', false, now(), now()
     from users u, generate_series(1, $3::integer) n where u.org_id = $1 and u.id = $2`,
    [org.id, org.adminUserId, count],
  );
}

describe('in bulk', () => {
  test('activation reaches all users that are there, tells how far it is, and leaves an event', async () => {
    const [target = ''] = await newGroups(1);
    const [one, two] = [await inDepartment('Sales'), await inDepartment('Sales')];
    await inDepartment('Legal');
    const rule = await createRule(org, [target], 'user.department == "Sales"');
    const evaluation = async () => (await org.admin.get(`${rulePath(rule.id)}/evaluation`)).body;
    expect(await evaluation()).toMatchObject({ status: 'NONE', usersExamined: 0, started: null });
    await activated(service, org, rule.id);
    expect(await membersOf(org, target)).toEqual([one.id, two.id].toSorted());
    expect(await evaluation()).toMatchObject({
      status: 'DONE',
      usersTotal: 4,
      usersExamined: 4,
      membershipsAdded: 2,
      membershipsRemoved: 0,
      finished: expect.stringMatching(/Z$/),
    });
    expect(await org.systemLog('eventType eq "group.user_membership.rule.evaluation"')).toMatchObject([
      { debugContext: { debugData: { usersExamined: '4', added: '2', removed: '0' } } },
    ]);
  });

  test('a deactivated rule keeps its members and asks nobody; active again, it judges all anew', async () => {
    const [target = ''] = await newGroups(1);
    const rule = await activeRule(service, org, [target], 'user.department == "Sales"');
    const [stays, leaves] = [await inDepartment('Sales'), await inDepartment('Sales')];
    await changeRule(org, rule.id, 'deactivate');
    await setProfile(leaves.id, { department: 'Legal' });
    const late = await inDepartment('Sales');
    await rulesSettled(service, org);
    expect(await membersOf(org, target)).toEqual([stays.id, leaves.id].toSorted());
    await activated(service, org, rule.id);
    expect(await membersOf(org, target)).toEqual([stays.id, late.id].toSorted());
  });

  test.each([false, true])('deleting with removeUsers=%s', async (removeUsers) => {
    const [target = '', follows = ''] = await newGroups(2);
    const rule = await activeRule(service, org, [target], 'user.department == "Sales"');
    await activeRule(service, org, [follows], `isMemberOfGroup("${target}")`);
    const [user, direct] = [await inDepartment('Sales'), await inDepartment('Sales')];
    await addMember(org, target, direct.id);
    expect(await org.admin.del(`${rulePath(rule.id)}?removeUsers=${removeUsers}`)).toMatchObject({ status: 202 });
    await rulesSettled(service, org);
    const members = removeUsers ? [direct.id] : [user.id, direct.id].toSorted();
    expect([await membersOf(org, target), await membersOf(org, follows)]).toEqual([members, members]);
    await setProfile(user.id, { department: 'Legal' });
    expect(await membersOf(org, target)).toEqual(members);
    const { rows } = await service.database.pool.query(
      'select 1 from group_rule_members where org_id = $1 and rule_id = $2',
      [org.id, rule.id],
    );
    expect(rows).toEqual([]);
  });

  test('a pass goes on where it stood, in more than one batch', async () => {
    const [target = ''] = await newGroups(1);
    const rule = await createRule(org, [target], 'user.department == "Bulk"');
    await addPlainUsers(2 * USERS_PER_BATCH);
    await activated(service, org, rule.id);
    const count = 'select count(*)::integer as count from group_members where org_id = $1 and group_id = $2';
    const { rows } = await service.database.pool.query<{ count: number }>(count, [org.id, target]);
    expect(rows[0]?.count).toBe(USERS_PER_BATCH);
    expect((await org.admin.get(`${rulePath(rule.id)}/evaluation`)).body).toMatchObject({
      status: 'DONE',
      usersExamined: 2 * USERS_PER_BATCH + 1,
      membershipsAdded: USERS_PER_BATCH,
    });
  });
});

test('a pass that is stopped goes on where it stood, and looks at nobody twice', async () => {
  const [target = ''] = await newGroups(1);
  await addPlainUsers(2 * USERS_PER_BATCH);
  const { id } = await activeRule(service, org, [target], 'user.department == "Nobody"');
  const { clock, namespace, work } = { ...service.application, clock: service.clock };
  const context = systemContext({ orgId: org.id, namespace, name: 'test', now: clock.now() });
  // The evaluation is requested without a job, so that only this test runs it.
  await work(context, async (tx) => void (await requestPass(tx, org.id)));
  const stop = new AbortController();
  let batches = 0;
  const counting: typeof work = async (given, run) => {
    batches += 1;
    if (batches === 2) stop.abort();
    return work(given, run);
  };
  const run = async (signal: AbortSignal) =>
    groupRuleJobs({ work: counting, clock, namespace })['groupRules.evaluate']?.run({
      orgId: org.id,
      id: 1,
      kind: 'groupRules.evaluate',
      payload: {},
      attempt: 1,
      signal,
      isHeld: () => true,
    });
  const evaluation = async () => (await org.admin.get(`${rulePath(id)}/evaluation`)).body;
  expect(await run(stop.signal)).toEqual({ runAgainAt: expect.any(Date) });
  expect(await evaluation()).toMatchObject({ usersExamined: 2 * USERS_PER_BATCH, finished: null });
  expect(await run(new AbortController().signal)).toBeUndefined();
  const count = 2 * USERS_PER_BATCH + 1;
  expect(await evaluation()).toMatchObject({ status: 'DONE', usersTotal: count, usersExamined: count });
  expect(batches).toBe(4);
});

describe('schemas', () => {
  const schema = '/api/v1/meta/schemas/user/default';
  const define = (properties: unknown) => org.admin.post(schema, { body: { definitions: { custom: { properties } } } });

  test('custom attributes by their types; a rule is INVALID when its attribute goes', async () => {
    const [target = ''] = await newGroups(1);
    const made = await define({
      level: { title: 'Level', type: 'integer' },
      skills: { title: 'Skills', type: 'array', items: { type: 'string' } },
      toString: { title: 'Odd', type: 'string' },
    });
    expect(made.status).toBe(200);
    const rule = await activeRule(
      service,
      org,
      [target],
      'user.level >= 3 && Arrays.contains(user.skills, "go") && user.toString != "no"',
    );
    const user = await org.createUser({ profile: { level: 3, skills: ['c', 'go'] } });
    await org.createUser({ profile: { level: 2, skills: ['go'] } });
    expect(await membersOf(org, target)).toEqual([user.id]);
    const removed = await define({ level: null });
    expect(removed.status).toBe(200);
    expect((await org.admin.get(rulePath(rule.id))).body).toMatchObject({ status: 'INVALID', allGroupsValid: true });
    expect((await eventsOf(org, removed)).map(({ eventType }) => eventType)).toContain(
      'group.user_membership.rule.invalidate',
    );
    expect((await setProfile(user.id, { title: 'Dr' })).status).toBe(200);
    expect(await membersOf(org, target)).toEqual([user.id]);
  });
});

test('an expression that costs too much does not hold, and is told', async () => {
  const [target = ''] = await newGroups(1);
  const long = 'user.title';
  const costly = Array.from({ length: 80 }, () => `String.stringContains(${long} + ${long} + ${long}, "zz")`).join(
    ' || ',
  );
  const rule = await activeRule(service, org, [target], costly);
  const made = await org.admin.post('/api/v1/users', {
    body: {
      profile: { login: 'c@x.com', email: 'c@x.com', firstName: 'A', lastName: 'B', title: 'a'.repeat(4_000) },
    },
  });
  expect(made.status).toBe(200);
  expect(await membersOf(org, target)).toEqual([]);
  const errors = (await eventsOf(org, made)).filter(
    ({ eventType }) => eventType === 'group.user_membership.rule.error',
  );
  expect(errors).toMatchObject([{ target: [{ id: rule.id, displayName: rule.name }], outcome: { result: 'FAILURE' } }]);
  await changeRule(org, rule.id, 'deactivate');
  await activated(service, org, rule.id);
  expect((await org.admin.get(`${rulePath(rule.id)}/evaluation`)).body).toMatchObject({ evaluationsFailed: 1 });
});
