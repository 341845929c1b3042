import { describe, expect, test } from 'vitest';
import {
  activated,
  activeRule,
  changeRule,
  createRule,
  membersOf,
  newRule,
  RULES,
  rulePath,
  rulesSettled,
} from '../support/group-rules.ts';
import { addMember, createGroup, groupPath, newGroupName } from '../support/groups.ts';
import { bindRole, type Holder, RESOURCE_SETS } from '../support/roles.ts';
import { useService } from '../support/use-service.ts';
import { userPath } from '../support/users.ts';

// No administrator may gain power over users through group rules (attack 97 in docs/security-rows.md).

const { service, org } = useService({ isShared: false });

const FORBIDDEN = { status: 403, body: { errorCode: 'E0000006' } };

const bind = (holder: Holder, permissions: readonly string[], paths: readonly string[]) =>
  bindRole(org, { permissions, paths, members: [`${org.baseUrl}${userPath(holder.userId)}`] });

async function managerOf(groups: readonly string[], usersOf: string): Promise<Holder> {
  const client = await org.withRoles();
  await bind(client, ['groups.manage'], groups);
  await bind(client, ['users.manage'], [`${groupPath(usersOf)}/users`]);
  service.clock.advance(1_100);
  return client;
}

/** Creates an administrator of all groups, and of all users except the members of one group. */
async function managerOfAllBut(groupId: string): Promise<Holder> {
  const client = await org.withRoles();
  const bound = await bind(client, ['users.manage', 'groups.manage'], ['/api/v1/groups']);
  const excluded = [`orn:svc:directory:${org.id}:groups:${groupId}:contained_resources`];
  const body = {
    resourceOrnOrUrl: `${org.baseUrl}/api/v1/users`,
    conditions: { Exclude: { 'svc:ORN': excluded } },
  };
  const added = await org.admin.post(`${RESOURCE_SETS}/${bound['resourceSetIdOrLabel']}/resources`, { body });
  expect(added.status, added.text).toBe(200);
  service.clock.advance(1_100);
  return client;
}

const isIn = (name: string): string => `isMemberOfGroupName("${name}")`;
const lifecycle = (id: string, action: string): string => `${rulePath(id)}/lifecycle/${action}`;
const suspend = (id: string): string => `${userPath(id)}/lifecycle/suspend`;
const named = (name: string) => ({ body: { profile: { name } } });

describe('whom a rule keeps from an administrator', () => {
  test('it lets go by no change of the rule', async () => {
    const [kept, department] = [await createGroup(org), `kept ${newGroupName()}`];
    const rule = await activeRule(service, org, [kept.id], `user.department == "${department}"`);
    const user = await org.createUser({ profile: { department } });
    const client = await managerOfAllBut(kept.id);
    expect(await client.post(suspend(user.id))).toMatchObject(FORBIDDEN);
    expect(await client.post(lifecycle(rule.id, 'deactivate'))).toMatchObject(FORBIDDEN);
    expect(await client.del(rulePath(rule.id))).toMatchObject(FORBIDDEN);
    await changeRule(org, rule.id, 'deactivate');
    const emptied = newRule([kept.id], 'false');
    expect(await client.put(rulePath(rule.id), { body: emptied })).toMatchObject(FORBIDDEN);
    const people = { users: { exclude: [user.id] } };
    const conditions = { ...(emptied['conditions'] as Record<string, unknown>), people };
    expect(await client.put(rulePath(rule.id), { body: { ...emptied, conditions } })).toMatchObject(FORBIDDEN);
    expect((await org.admin.put(rulePath(rule.id), { body: emptied })).status).toBe(200);
    expect(await client.post(lifecycle(rule.id, 'activate'))).toMatchObject(FORBIDDEN);
    await rulesSettled(service, org);
    expect(await membersOf(org, kept.id)).toEqual([user.id]);
    expect(await client.post(suspend(user.id))).toMatchObject(FORBIDDEN);
    await activated(service, org, rule.id);
    expect(await membersOf(org, kept.id)).toEqual([]);
  });

  test('rules of other groups are theirs to change', async () => {
    const [kept, other, department] = [await createGroup(org), await createGroup(org), `free ${newGroupName()}`];
    const client = await managerOfAllBut(kept.id);
    const made = await client.post(RULES, { body: newRule([other.id], `user.department == "${department}"`) });
    expect(made).toMatchObject({ status: 200 });
    const { name: _, ...changed } = newRule([other.id], `user.department == "${department}"`);
    const body = { ...changed, name: made.body.name };
    expect(await client.put(rulePath(made.body.id), { body })).toMatchObject({ status: 200 });
    for (const action of ['activate', 'deactivate']) {
      expect(await client.post(lifecycle(made.body.id, action))).toMatchObject({ status: 204 });
    }
    expect(await client.del(`${rulePath(made.body.id)}?removeUsers=true`)).toMatchObject({ status: 202 });
    await rulesSettled(service, org);
  });
});

describe('a group that rules ask for by its name', () => {
  test('is not renamed by who reaches those whom the rules place', async () => {
    const [reached, asked, word] = [await createGroup(org), await createGroup(org), newGroupName()];
    const stranger = await org.createUser();
    await addMember(org, asked.id, stranger.id);
    const rule = await activeRule(service, org, [reached.id], `isMemberOfGroupNameStartsWith("Sales ${word}")`);
    const client = await managerOf([groupPath(asked.id)], reached.id);
    expect(await client.put(groupPath(asked.id), named(`Sales ${word} x`))).toMatchObject(FORBIDDEN);
    await rulesSettled(service, org);
    expect(await membersOf(org, reached.id)).toEqual([]);
    expect(await client.post(suspend(stranger.id))).toMatchObject(FORBIDDEN);
    const profile = { name: asked.profile.name, description: 'another one' };
    expect(await client.put(groupPath(asked.id), { body: { profile } })).toMatchObject({ status: 200 });
    await changeRule(org, rule.id, 'deactivate');
    expect(await client.put(groupPath(asked.id), named(`Sales ${word} x`))).toMatchObject({ status: 200 });
  });

  test('is renamed where rules that ask place nobody in reach', async () => {
    const [reached, asked, other] = [await createGroup(org), await createGroup(org), await createGroup(org)];
    const rule = await activeRule(service, org, [other.id], isIn(newGroupName()));
    const client = await managerOf([groupPath(asked.id)], reached.id);
    expect(await client.put(groupPath(asked.id), named(newGroupName()))).toMatchObject({ status: 200 });
    await changeRule(org, rule.id, 'deactivate');
    await rulesSettled(service, org);
  });
});

describe('a group that keeps its members from what a rule gives', () => {
  const excluding = (groupId: string) => (target: string) => {
    const rule = newRule([target], 'true');
    const people = { groups: { exclude: [groupId] } };
    return { conditions: { ...(rule['conditions'] as Record<string, unknown>), people } };
  };

  test.each([
    ['by its list', (id: string, target: string) => ['true', excluding(id)(target)] as const],
    ['by its expression', (id: string) => [`!isMemberOfAnyGroup("${id}")`, {}] as const],
  ])('is not deleted by who reaches those whom the rule places: %s', async (_, conditionsOf) => {
    const [reached, left, user] = [await createGroup(org), await createGroup(org), await org.createUser()];
    await addMember(org, left.id, user.id);
    const [expression, given] = conditionsOf(left.id, reached.id);
    const rule = await activeRule(service, org, [reached.id], expression, given);
    const client = await managerOf([groupPath(left.id)], reached.id);
    expect(await client.post(suspend(user.id))).toMatchObject(FORBIDDEN);
    expect(await client.del(groupPath(left.id))).toMatchObject(FORBIDDEN);
    await rulesSettled(service, org);
    expect(await membersOf(org, reached.id)).not.toContain(user.id);
    expect(await client.post(suspend(user.id))).toMatchObject(FORBIDDEN);
    expect(await org.admin.del(groupPath(left.id))).toMatchObject({ status: 204 });
    await rulesSettled(service, org);
    expect(await membersOf(org, reached.id)).toContain(user.id);
    await changeRule(org, rule.id, 'deactivate');
  });
});

describe('a rule that feeds another one', () => {
  async function chained() {
    const [reached, asked, user] = [await createGroup(org), await createGroup(org), await org.createUser()];
    const follower = await activeRule(service, org, [reached.id], `isMemberOfAnyGroup("${asked.id}")`);
    const client = await managerOf(['/api/v1/groups'], reached.id);
    return { asked, client, follower, reached, user };
  }

  test('is not activated by who reaches those whom the other one places', async () => {
    const { asked, client, follower, reached, user } = await chained();
    const made = await client.post(RULES, { body: newRule([asked.id], 'true') });
    expect(made).toMatchObject({ status: 200 });
    expect(await client.post(lifecycle(made.body.id, 'activate'))).toMatchObject(FORBIDDEN);
    await rulesSettled(service, org);
    expect([await membersOf(org, asked.id), await membersOf(org, reached.id)]).toEqual([[], []]);
    expect(await client.post(suspend(user.id))).toMatchObject(FORBIDDEN);
    await changeRule(org, follower.id, 'deactivate');
    expect(await client.post(lifecycle(made.body.id, 'activate'))).toMatchObject({ status: 204 });
    await rulesSettled(service, org);
    expect(await membersOf(org, asked.id)).toContain(user.id);
    await changeRule(org, made.body.id, 'deactivate');
  });

  test('is neither deactivated nor deleted either: those whom it placed may be placed anew', async () => {
    const { asked, client, follower } = await chained();
    const feeding = await createRule(org, [asked.id], 'user.department == "nobody"');
    await activated(service, org, feeding.id);
    for (const attempt of [
      await client.post(lifecycle(feeding.id, 'deactivate')),
      await client.del(rulePath(feeding.id)),
      await client.del(`${rulePath(feeding.id)}?removeUsers=true`),
    ]) {
      expect(attempt).toMatchObject(FORBIDDEN);
    }
    await changeRule(org, follower.id, 'deactivate');
    expect(await client.del(`${rulePath(feeding.id)}?removeUsers=true`)).toMatchObject({ status: 202 });
    await rulesSettled(service, org);
  });
});
