import { describe, expect, test } from 'vitest';
import { activated, activeRule, changeRule, membersOf, rulePath, rulesSettled } from '../support/group-rules.ts';
import { addMember, createGroup, groupPath, memberPath } from '../support/groups.ts';
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

const expression = (value: string) => ({ value, type: 'urn:svc:expression:1.0' });
const inDepartment = (department: string) => org.createUser({ profile: { department } });
const setProfile = async (id: string, profile: Record<string, unknown>) => {
  const answer = await org.admin.post(userPath(id), { body: { profile } });
  expect(answer.status).toBe(200);
  return answer;
};
const excludedFrom = async (ruleId: string): Promise<string[]> =>
  (await org.admin.get(rulePath(ruleId))).body.conditions.people.users.exclude;

describe('on change', () => {
  test('a user is in his groups with the very answer that made or changed him, and events say so', async () => {
    const [target = ''] = await newGroups(1);
    const rule = await activeRule(service, org, [target], 'user.department == "Sales"');
    const made = await org.admin.post('/api/v1/users', {
      body: { profile: { login: 'a@x.com', email: 'a@x.com', firstName: 'A', lastName: 'B', department: 'Sales' } },
    });
    const { id } = made.body;
    expect(await membersOf(org, target)).toEqual([id]);
    const [event] = (await eventsOf(org, made)).filter(({ eventType }) => eventType === 'group.user_membership.add');
    expect(event).toMatchObject({ target: [{ id }, { id: target }], actor: { id: org.adminUserId } });
    const left = await setProfile(id, { department: 'Legal' });
    expect(await membersOf(org, target)).toEqual([]);
    expect((await eventsOf(org, left)).map(({ eventType }) => eventType)).toContain('group.user_membership.remove');
    await setProfile(id, { title: 'Dr' });
    await setProfile(id, { department: 'Sales' });
    expect(await membersOf(org, target)).toEqual([id]);
    expect(await excludedFrom(rule.id)).toEqual([]);
  });

  test('what is absent is null: equal to null, and unequal to every text', async () => {
    const [without = '', withSome = ''] = await newGroups(2);
    await activeRule(service, org, [without], 'user.department == null');
    await activeRule(service, org, [withSome], 'user.department != "Sales"');
    const [none, legal] = [await org.createUser(), await inDepartment('Legal')];
    expect(await membersOf(org, without)).toContain(none.id);
    expect(await membersOf(org, without)).not.toContain(legal.id);
    expect(await membersOf(org, withSome)).toEqual(expect.arrayContaining([none.id, legal.id]));
  });

  test('who was put in by hand too stays in by hand', async () => {
    const [target = ''] = await newGroups(1);
    await activeRule(service, org, [target], 'user.department == "Sales"');
    const user = await inDepartment('Sales');
    await addMember(org, target, user.id);
    await setProfile(user.id, { department: 'Legal' });
    expect(await membersOf(org, target)).toEqual([user.id]);
  });

  test('a membership that two rules give ends with the last of them', async () => {
    const [target = ''] = await newGroups(1);
    await activeRule(service, org, [target], 'user.department == "Sales"');
    await activeRule(service, org, [target], 'user.city == "Paris"');
    const user = await org.createUser({ profile: { department: 'Sales', city: 'Paris' } });
    await setProfile(user.id, { department: 'Legal' });
    expect(await membersOf(org, target)).toEqual([user.id]);
    await setProfile(user.id, { city: 'Rome' });
    expect(await membersOf(org, target)).toEqual([]);
  });

  test('where one rule takes over from another nothing begins, ends or excludes', async () => {
    const [target = ''] = await newGroups(1);
    await activeRule(service, org, [target], 'user.department == "Sales"');
    const other = await activeRule(service, org, [target], 'user.department == "Legal"');
    const user = await inDepartment('Sales');
    const changed = await setProfile(user.id, { department: 'Legal' });
    expect((await eventsOf(org, changed)).map(({ eventType }) => eventType)).toEqual(['user.account.update_profile']);
    expect(await membersOf(org, target)).toEqual([user.id]);
    expect(await excludedFrom(other.id)).toEqual([]);
    await setProfile(user.id, { department: 'None' });
    expect(await membersOf(org, target)).toEqual([]);
  });

  test('a user who was deactivated is judged when he comes back', async () => {
    const [target = ''] = await newGroups(1);
    const user = await inDepartment('Sales');
    await org.admin.post(`${userPath(user.id)}/lifecycle/deactivate`);
    await activeRule(service, org, [target], 'user.department == "Sales"');
    expect(await membersOf(org, target)).toEqual([]);
    await org.admin.post(`${userPath(user.id)}/lifecycle/activate?sendEmail=false`);
    expect(await membersOf(org, target)).toEqual([user.id]);
  });

  test('a user who is deleted leaves nothing behind', async () => {
    const [target = ''] = await newGroups(1);
    const rule = await activeRule(service, org, [target], 'user.department == "Sales"');
    const user = await inDepartment('Sales');
    const excluded = await inDepartment('Sales');
    await org.admin.del(memberPath(target, excluded.id));
    for (const { id } of [user, excluded]) {
      for (let times = 0; times < 2; times += 1) expect((await org.admin.del(userPath(id))).status).toBe(204);
    }
    expect(await membersOf(org, target)).toEqual([]);
    expect(await excludedFrom(rule.id)).toEqual([]);
  });
});

describe('rules that ask for groups', () => {
  test('judge when somebody joins or leaves, through a chain, in the same transaction', async () => {
    const [first = '', second = '', third = ''] = await newGroups(3);
    await activeRule(service, org, [second], `isMemberOfGroup("${first}")`);
    await activeRule(service, org, [third], `isMemberOfGroup("${second}") && isMemberOfGroupName("Everyone")`);
    const user = await org.createUser();
    await addMember(org, first, user.id);
    expect(await membersOf(org, third)).toEqual([user.id]);
    await org.admin.del(memberPath(first, user.id));
    expect([await membersOf(org, second), await membersOf(org, third)]).toEqual([[], []]);
  });

  test('that give each other their groups hold nobody up', async () => {
    const [one = '', other = '', seed = ''] = await newGroups(3);
    await activeRule(service, org, [one], `isMemberOfGroup("${other}")`);
    await activeRule(service, org, [other], `isMemberOfAnyGroup("${one}", "${seed}")`);
    const user = await org.createUser();
    await addMember(org, seed, user.id);
    expect(await membersOf(org, one)).toEqual([user.id]);
    await org.admin.del(memberPath(seed, user.id));
    expect([await membersOf(org, one), await membersOf(org, other)]).toEqual([[], []]);
  });

  test('by name judge anew when a group is renamed or deleted', async () => {
    const [named = '', target = ''] = await newGroups(2);
    await activeRule(service, org, [target], 'isMemberOfGroupNameStartsWith("Blue")');
    const user = await org.createUser();
    await addMember(org, named, user.id);
    expect(await membersOf(org, target)).toEqual([]);
    await org.admin.put(groupPath(named), { body: { profile: { name: 'Blue team' } } });
    await rulesSettled(service, org);
    expect(await membersOf(org, target)).toEqual([user.id]);
    await org.admin.del(groupPath(named));
    await rulesSettled(service, org);
    expect(await membersOf(org, target)).toEqual([]);
  });

  test('leave out whoever is in a group that they leave out', async () => {
    const [target = '', left = ''] = await newGroups(2);
    await activeRule(service, org, [target], 'user.department == "Sales"', {
      conditions: { people: { groups: { exclude: [left] } }, expression: expression('user.department == "Sales"') },
    });
    const user = await inDepartment('Sales');
    expect(await membersOf(org, target)).toEqual([user.id]);
    await addMember(org, left, user.id);
    expect(await membersOf(org, target)).toEqual([]);
    await org.admin.del(memberPath(left, user.id));
    expect(await membersOf(org, target)).toEqual([user.id]);
  });
});

describe('exclusions', () => {
  test('whoever is taken out by hand stays out, until the rule is told otherwise', async () => {
    const [target = ''] = await newGroups(1);
    const rule = await activeRule(service, org, [target], 'user.department == "Sales"');
    const [user, other] = [await inDepartment('Sales'), await inDepartment('Sales')];
    const { etag } = (await org.admin.get(rulePath(rule.id))).headers;
    const removed = await org.admin.del(memberPath(target, user.id));
    expect(removed.status).toBe(204);
    expect((await org.admin.get(rulePath(rule.id))).headers['etag']).not.toBe(etag);
    expect(await membersOf(org, target)).toEqual([other.id]);
    expect(await excludedFrom(rule.id)).toEqual([user.id]);
    expect(await eventsOf(org, removed)).toMatchObject([
      { eventType: 'group.user_membership.remove' },
      {
        eventType: 'group.user_membership.rule.add_exclusion',
        target: [{ id: rule.id, displayName: rule.name, changeDetails: { to: { excludedUserId: user.id } } }],
      },
    ]);
    await setProfile(user.id, { title: 'Dr' });
    await changeRule(org, rule.id, 'deactivate');
    await activated(service, org, rule.id);
    expect(await membersOf(org, target)).toEqual([other.id]);
    await addMember(org, target, user.id);
    expect((await membersOf(org, target)).length).toBe(2);
    await org.admin.del(memberPath(target, user.id));
    await changeRule(org, rule.id, 'deactivate');
    const { body } = await org.admin.get(rulePath(rule.id));
    await org.admin.put(rulePath(rule.id), { body: { ...body, conditions: { ...body.conditions, people: {} } } });
    await activated(service, org, rule.id);
    expect(await membersOf(org, target)).toEqual([user.id, other.id].toSorted());
  });

  test('a user whom no rule gives the group is excluded from none', async () => {
    const [target = ''] = await newGroups(1);
    const rule = await activeRule(service, org, [target], 'user.department == "Sales"');
    const user = await inDepartment('Legal');
    await addMember(org, target, user.id);
    await org.admin.del(memberPath(target, user.id));
    expect(await excludedFrom(rule.id)).toEqual([]);
    await setProfile(user.id, { department: 'Sales' });
    expect(await membersOf(org, target)).toEqual([user.id]);
  });
});
