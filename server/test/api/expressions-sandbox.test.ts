import { beforeAll, describe, expect, test } from 'vitest';
import { activeRule, membersOf, newRule, RULES } from '../support/group-rules.ts';
import { createGroup } from '../support/groups.ts';
import { causesIn, defineAttributes } from '../support/schemas.ts';
import { newServiceClient } from '../support/service-clients.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf } from '../support/users.ts';

/**
 * This file tests attack 100 (docs/security-rows.md): an expression reads only the data of its org, always ends, and
 * uses limited memory.
 */
const { service, org } = useService({ isShared: false });
let groupId: string;
let mappingPath: string;

beforeAll(async () => {
  groupId = (await createGroup(org)).id;
  const app = await newServiceClient(service, org, { scopes: [] });
  const [mapping] = (await org.admin.get(`/api/v1/mappings?targetId=${app.id}`)).body;
  mappingPath = `/api/v1/mappings/${mapping.id}`;
  await defineAttributes(org, { long: { title: 'Long', type: 'string' }, toString: { title: 'T', type: 'string' } });
});

const INVALID = { status: 400, body: { errorCode: 'E0000001' } };
const asRule = (value: string) => org.admin.post(RULES, { body: newRule([groupId], value) });
const asMapping = (expression: string) =>
  org.admin.post(mappingPath, { body: { properties: { email: { expression, pushStatus: 'PUSH' } } } });

describe('row 100: what reaches out of an expression is no expression', () => {
  test.each([
    ['a prototype', 'user.__proto__'],
    ['a prototype by a word', 'user["__proto__"]'],
    ['a constructor', 'user.constructor'],
    ['the constructor of a text', 'user.city.constructor'],
    ['a chain of them', 'user.city.constructor.constructor("return process")()'],
    ['a function of the language below', 'toString()'],
    ['a function of a value below', 'user.city.valueOf()'],
    ['the process', 'process.env'],
    ['the global object', 'globalThis'],
    ['this', 'this'],
    ['a loop', 'while (true) {}'],
    ['a function of its own', '(() => true)()'],
    ['a Java class', 'T(java.lang.Runtime).getRuntime()'],
    ['a bean', '@environment'],
    ['an assignment', 'user.city = "x"'],
    ['a new object', 'new java.io.File("/")'],
    ['a projection', 'user.?[true]'],
    ['the org', 'org.name'],
    ['the credentials', 'user.credentials.password'],
    ['another property of the user', 'user.getInternalProperty("passwordHash")'],
    ['another user', 'getManagerUser("okta")'],
    ['another user by id', 'users["00u00000000000000000"].email'],
  ])('%s: %s', async (_, text) => {
    for (const refused of [await asRule(`${text} == "x"`), await asRule(text), await asMapping(text)]) {
      expect(refused).toMatchObject(INVALID);
      expect(causesIn(refused)[0]).toMatch(/ at position \d+\.$/);
    }
  });

  test.each([
    ['of 1 MB', `"${'x'.repeat(1_000_000)}" == user.city`],
    ['nested 100,000 deep', `${'('.repeat(100_000)}true${')'.repeat(100_000)}`],
    ['of 100,000 parts', Array.from({ length: 10_000 }, () => 'true').join('||')],
    ['with a pattern that takes for ever', `isMemberOfGroupNameRegex("(a+)+$(")`],
  ])('an expression %s is refused', async (_, text) => {
    expect((await asRule(text)).status).toBeGreaterThanOrEqual(400);
    expect((await asRule(text)).status).toBeLessThan(500);
  });
});

describe('row 100: what is an expression has bounds', () => {
  const doubled = (times: number): string =>
    Array.from({ length: times }).reduce<string>((inner) => `String.replace(${inner}, "x", "xx")`, 'user.long');

  test('one that would make 1 MB makes nothing: it does not hold, and the log says why', async () => {
    const target = await createGroup(org);
    const rule = await activeRule(service, org, [target.id], `String.len(${doubled(17)}) > 0`);
    const user = await org.createUser({ profile: { long: 'x' } });
    const made = await org.admin.post(`/api/v1/users/${user.id}`, { body: { profile: { long: 'x'.repeat(50) } } });
    expect(made.status).toBe(200);
    expect(await membersOf(org, target.id)).toEqual([]);
    const failures = (await eventsOf(org, made)).filter(({ eventType }) => eventType.endsWith('rule.error'));
    expect(failures).toMatchObject([
      {
        outcome: { result: 'FAILURE', reason: 'EXPRESSION_TOO_COSTLY' },
        target: [{ id: rule.id, type: 'GroupRule' }],
        debugContext: { debugData: { userId: user.id } },
      },
    ]);
    await org.admin.post(`${RULES}/${rule.id}/lifecycle/deactivate`);
  });

  test('one that is matched against a pattern ends in linear time', async () => {
    const target = await createGroup(org);
    const rule = await activeRule(service, org, [target.id], 'user.long matches "(x+x+)+y"');
    const user = await org.createUser({ profile: { long: 'x'.repeat(60) } });
    expect(await membersOf(org, target.id)).not.toContain(user.id);
    await org.admin.post(`${RULES}/${rule.id}/lifecycle/deactivate`);
  });

  test('an attribute that is called like something of JavaScript is that attribute alone', async () => {
    const target = await createGroup(org);
    await activeRule(service, org, [target.id], 'user.toString == "mine"');
    const [mine] = [
      await org.createUser({ profile: { toString: 'mine' } }),
      await org.createUser({ profile: { toString: 'other' } }),
      await org.createUser(),
    ];
    expect(await membersOf(org, target.id)).toEqual([mine.id]);
  });

  test('users of other orgs are none of those that it judges', async () => {
    const target = await createGroup(org);
    const other = await service.newOrg();
    const stranger = await other.createUser({ profile: { city: 'Everywhere' } });
    const rule = await activeRule(
      service,
      org,
      [target.id],
      `user.city == "Everywhere" || user.id == "${stranger.id}"`,
    );
    await other.admin.post(`/api/v1/users/${stranger.id}`, { body: { profile: { title: 'Dr' } } });
    expect(await membersOf(org, target.id)).toEqual([]);
    const { rows } = await service.database.pool.query('select 1 from group_members where user_id = $1', [stranger.id]);
    expect([rows.length, rule.status]).toEqual([0, 'INACTIVE']);
  });
});
