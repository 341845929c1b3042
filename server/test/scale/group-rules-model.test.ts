import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { changeRule, createRule, newRule, rulePath, rulesSettled } from '../support/group-rules.ts';
import {
  type Condition,
  conditions,
  GROUPS,
  GroupRulesModel,
  type ModelRule,
  type ModelUser,
  type Profile,
  profiles,
  SPECIAL,
} from '../support/group-rules-model.ts';
import { addMember, createGroup, groupPath, memberPath, newGroupName } from '../support/groups.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { userPath } from '../support/users.ts';

const { service } = useService();

interface World {
  readonly org: TestOrg;
  readonly model: GroupRulesModel;
  readonly groupIds: readonly string[];
}

/**
 * A change to both the service and the model. A step that changes a user or a rule selects it by an index among those
 * that exist.
 */
interface Step {
  readonly name: string;
  readonly take: (world: World) => Promise<void>;
  readonly [fc.toStringMethod]: () => string;
}

const picked = <One>(all: readonly One[], index: number): One | undefined => all[index % all.length];
const pick = fc.nat(60);
const groupNumber = fc.nat(GROUPS - 1);

const step = (name: string, take: Step['take']): Step => ({ name, take, [fc.toStringMethod]: () => name });

/**
 * Makes a step for a live user, or a deactivated one if `isLive` is false. Without such a user, the step does nothing.
 */
const userStep = (
  name: string,
  index: number,
  isLive: boolean,
  take: (world: World, user: ModelUser) => Promise<void>,
): Step =>
  step(`${name} ${index}`, async (world) => {
    const user = picked(
      world.model.users.filter((one) => one.isLive === isLive),
      index,
    );
    if (user !== undefined) await take(world, user);
  });

const ruleStep = (
  name: string,
  index: number,
  statuses: readonly ModelRule['status'][],
  take: (world: World, rule: ModelRule) => Promise<void>,
): Step =>
  step(`${name} ${index}`, async (world) => {
    const rule = picked(
      world.model.rules.filter(({ status }) => statuses.includes(status)),
      index,
    );
    if (rule !== undefined) await take(world, rule);
  });

async function answered(status: number, answer: Promise<{ status: number; text: string }>): Promise<void> {
  const { status: given, text } = await answer;
  expect([given, given === status ? '' : text]).toEqual([status, '']);
}

/** In a request that changes a profile, null removes the attribute. */
const written = ({ city, costCenter, department }: Profile) => ({
  department: department ?? null,
  city: city ?? null,
  costCenter: costCenter ?? null,
});

const createUser = profiles.map((profile) =>
  step(`user ${JSON.stringify(profile)}`, async ({ model, org }) => {
    model.addUser((await org.createUser({ profile: { ...profile } })).id, profile);
  }),
);
const changeProfile = fc.tuple(pick, profiles).map(([index, profile]) =>
  userStep(`profile ${JSON.stringify(profile)}`, index, true, async ({ org }, user) => {
    await answered(200, org.admin.post(userPath(user.id), { body: { profile: written(profile) } }));
    user.profile = profile;
  }),
);
const deactivateUser = pick.map((index) =>
  userStep('deactivate user', index, true, async ({ org }, user) => {
    await answered(200, org.admin.post(`${userPath(user.id)}/lifecycle/deactivate`));
    user.isLive = false;
  }),
);
const returnUser = pick.map((index) =>
  userStep('activate user', index, false, async ({ org }, user) => {
    await answered(200, org.admin.post(`${userPath(user.id)}/lifecycle/activate?sendEmail=false`));
    user.isLive = true;
  }),
);
const deleteUser = pick.map((index) =>
  userStep('delete user', index, false, async ({ model, org }, user) => {
    await answered(204, org.admin.del(userPath(user.id)));
    model.users = model.users.filter((one) => one !== user);
  }),
);
const changeMembership = (name: 'join' | 'leave', isLive: boolean) =>
  fc.tuple(pick, groupNumber).map(([index, group]) =>
    userStep(`${name} ${group}`, index, isLive, async ({ groupIds, model, org }, user) => {
      const groupId = groupIds[group] ?? '';
      if (!model.names.has(group)) return;
      if (name === 'join') {
        await addMember(org, groupId, user.id);
        user.direct.add(group);
      } else {
        await answered(204, org.admin.del(memberPath(groupId, user.id)));
        model.leave(user, group);
      }
    }),
  );

interface Written {
  readonly condition: Condition;
  readonly excludedGroups: readonly number[];
  readonly excludedUsers: readonly number[];
}

const writtenRules: fc.Arbitrary<Written> = fc.record({
  condition: conditions,
  excludedGroups: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.uniqueArray(groupNumber, { maxLength: 1 })),
  excludedUsers: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.uniqueArray(pick, { maxLength: 2 })),
});

function read({ groupIds, model }: World, { condition, excludedGroups, excludedUsers }: Written) {
  const groups = excludedGroups.filter((group) => model.names.has(group));
  const users = new Set(excludedUsers.flatMap((index) => picked(model.users, index) ?? []));
  const people = {
    users: { exclude: [...users].map(({ id }) => id) },
    groups: { exclude: groups.map((group) => groupIds[group]) },
  };
  const expression = { value: condition.text(groupIds), type: 'urn:svc:expression:1.0' };
  return { groups: new Set(groups), users, body: { conditions: { people, expression } } };
}

const describeRule = ({ condition, ...rest }: Written): string =>
  `${condition.text(['0', '1', '2', '3'])} ${JSON.stringify(rest)}`;

const createsRule = fc
  .tuple(writtenRules, fc.uniqueArray(groupNumber, { minLength: 1, maxLength: 2 }))
  .map(([given, targets]) =>
    step(`rule ${describeRule(given)} for ${targets.join()}`, async (world) => {
      const groups = targets.filter((group) => world.model.names.has(group));
      if (groups.length === 0) return;
      const { body, groups: excludedGroups, users } = read(world, given);
      const groupIds = groups.map((group) => world.groupIds[group] ?? '');
      const { id } = await createRule(world.org, groupIds, '', body);
      const rule: ModelRule = { id, groups, condition: given.condition, excludedGroups, status: 'INACTIVE' };
      world.model.rules.push(rule);
      for (const user of users) user.excludedFrom.add(rule);
    }),
  );
const replaceRule = fc.tuple(pick, writtenRules).map(([index, given]) =>
  ruleStep(`replace ${describeRule(given)}`, index, ['INACTIVE'], async (world, rule) => {
    const { body, groups, users } = read(world, given);
    const groupIds = rule.groups.map((group) => world.groupIds[group] ?? '');
    await answered(200, world.org.admin.put(rulePath(rule.id), { body: newRule(groupIds, '', body) }));
    Object.assign(rule, { condition: given.condition, excludedGroups: groups });
    for (const user of world.model.users) {
      if (users.has(user)) user.excludedFrom.add(rule);
      else user.excludedFrom.delete(rule);
    }
  }),
);
const changeStatus = (action: 'activate' | 'deactivate') =>
  pick.map((index) =>
    ruleStep(action, index, [action === 'activate' ? 'INACTIVE' : 'ACTIVE'], async ({ org }, rule) => {
      await changeRule(org, rule.id, action);
      rule.status = action === 'activate' ? 'ACTIVE' : 'INACTIVE';
    }),
  );
const deleteRule = fc.tuple(pick, fc.boolean()).map(([index, removeUsers]) =>
  ruleStep(`delete, removing ${removeUsers}`, index, ['ACTIVE', 'INACTIVE', 'INVALID'], async (world, rule) => {
    await answered(202, world.org.admin.del(`${rulePath(rule.id)}?removeUsers=${removeUsers}`));
    world.model.deleteRule(rule, removeUsers);
  }),
);
const renameGroup = fc.tuple(groupNumber, fc.boolean()).map(([group, isSpecial]) =>
  step(`rename ${group} ${isSpecial}`, async ({ groupIds, model, org }) => {
    if (!model.names.has(group) || (isSpecial && [...model.names.values()].includes(SPECIAL))) return;
    const name = isSpecial ? SPECIAL : newGroupName();
    await answered(200, org.admin.put(groupPath(groupIds[group] ?? ''), { body: { profile: { name } } }));
    model.names.set(group, name);
  }),
);
const deleteGroup = groupNumber.map((group) =>
  step(`delete group ${group}`, async ({ groupIds, model, org }) => {
    if (!model.names.has(group)) return;
    await answered(204, org.admin.del(groupPath(groupIds[group] ?? '')));
    model.deleteGroup(group);
  }),
);

const weighted = (weight: number, arbitrary: fc.Arbitrary<Step>) => ({ weight, arbitrary });
const steps = fc.oneof(
  weighted(1, createUser),
  weighted(6, changeProfile),
  weighted(9, changeMembership('join', true)),
  weighted(5, changeMembership('leave', true)),
  weighted(1, changeMembership('join', false)),
  weighted(1, changeMembership('leave', false)),
  weighted(2, deactivateUser),
  weighted(2, returnUser),
  weighted(1, deleteUser),
  weighted(3, createsRule),
  weighted(2, replaceRule),
  weighted(7, changeStatus('activate')),
  weighted(3, changeStatus('deactivate')),
  weighted(2, deleteRule),
  weighted(2, renameGroup),
  weighted(1, deleteGroup),
);

/** Users and rules come first, so that later steps have an effect. */
const walks = fc
  .tuple(
    fc.array(createUser, { minLength: 2, maxLength: 3 }),
    fc.array(createsRule, { minLength: 3, maxLength: 4 }),
    fc.array(steps, { minLength: 25, maxLength: 40 }),
  )
  .map((parts) => parts.flat());

async function newWorld(): Promise<World> {
  const org = await service.newOrg();
  const model = new GroupRulesModel();
  const groupIds: string[] = [];
  for (let group = 0; group < GROUPS; group += 1) {
    const name = group === GROUPS - 1 ? SPECIAL : newGroupName();
    groupIds.push((await createGroup(org, { name })).id);
    model.names.set(group, name);
  }
  return { org, model, groupIds };
}

async function membershipsOf({ groupIds, model, org }: World): Promise<string[]> {
  const { rows } = await service.database.pool.query<{ user_id: string; group_id: string }>(
    'select user_id, group_id from group_members where org_id = $1',
    [org.id],
  );
  const known = new Map(model.users.map(({ id }, index) => [id, index]));
  return rows
    .filter((row) => known.has(row.user_id))
    .map((row) => `${known.get(row.user_id)} ${groupIds.indexOf(row.group_id)}`)
    .toSorted();
}

const expectedOf = ({ model }: World): string[] =>
  model.users.flatMap((user, index) => [...model.groupsOf(user)].map((group) => `${index} ${group}`)).toSorted();

test('after every step the members of every group are those of the plain code', async () => {
  let memberships = 0;
  await fc.assert(
    fc.asyncProperty(walks, async (walk) => {
      const world = await newWorld();
      const taken: string[] = [];
      for (const { name, take } of walk) {
        taken.push(name);
        await take(world);
        await rulesSettled(service, world.org);
        world.model.settle();
        const expected = expectedOf(world);
        memberships += world.model.users.flatMap(({ given }) => [...given]).length;
        expect({ memberships: await membershipsOf(world), taken }).toEqual({ memberships: expected, taken });
      }
    }),
    { numRuns: 15, endOnFailure: true, interruptAfterTimeLimit: 15_000 },
  );
  expect(memberships).toBeGreaterThan(50);
}, 120_000);
