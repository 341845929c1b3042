import { beforeAll, describe, expect, test } from 'vitest';
import { createRule, newRule, RULES, rulePath } from '../support/group-rules.ts';
import { createGroup, everyoneOf, idsOf } from '../support/groups.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf } from '../support/users.ts';

const { service, org } = useService();
let groupId: string;

beforeAll(async () => {
  groupId = (await createGroup(org)).id;
});

const GONE = { status: 404, body: { errorCode: 'E0000007' } };
const INVALID = { status: 400, body: { errorCode: 'E0000001' } };
const causeOf = ({ body }: { body: { errorCauses: { errorSummary: string }[] } }) => body.errorCauses[0]?.errorSummary;

describe('create', () => {
  test('answers the rule, INACTIVE, as the published clients know it, and logs it', async () => {
    const body = newRule([groupId], 'String.startsWith(user.department,"engineering")');
    const answer = await org.admin.post(RULES, { body });
    expect(answer.status).toBe(200);
    const { created, id, lastUpdated, ...rest } = answer.body;
    expect(id).toMatch(/^0pr[0-9A-Za-z]{17}$/);
    expect([created, lastUpdated].every((date) => date.endsWith('.000Z'))).toBe(true);
    expect(rest).toEqual({
      type: 'group_rule',
      status: 'INACTIVE',
      name: body['name'],
      conditions: {
        people: { users: { exclude: [] }, groups: { exclude: [] } },
        expression: {
          value: 'String.startsWith(user.department,"engineering")',
          type: 'urn:svc:expression:1.0',
        },
      },
      actions: { assignUserToGroups: { groupIds: [groupId] } },
      allGroupsValid: true,
    });
    expect((await org.admin.get(rulePath(id))).body).toEqual(answer.body);
    expect(await eventsOf(org, answer)).toMatchObject([
      {
        eventType: 'group.user_membership.rule.create',
        target: [
          { id, type: 'GroupRule', displayName: body['name'], changeDetails: { from: {}, to: { status: 'INACTIVE' } } },
        ],
      },
    ]);
  });

  test.each<[string, Record<string, unknown>]>([
    ['a blank name', { name: ' ' }],
    ['a long name', { name: 'x'.repeat(51) }],
    ['another type', { type: 'rule' }],
    ['no actions', { actions: {} }],
    ['no groups', { actions: { assignUserToGroups: { groupIds: [] } } }],
    ['a group there is none of', { actions: { assignUserToGroups: { groupIds: ['00g00000000000000000'] } } }],
    ['no conditions', { conditions: {} }],
    ['another language', { conditions: { expression: { value: 'true', type: 'urn:okta:expression:1.0' } } }],
    ['a number as expression', { conditions: { expression: { value: 5, type: 'urn:svc:expression:1.0' } } }],
  ])('refuses %s', async (_, given) => {
    expect(await org.admin.post(RULES, { body: newRule([groupId], 'true', given) })).toMatchObject(INVALID);
  });

  test.each([
    ['', 'expression: The expression ends too early at position 0.'],
    ['user.department', 'expression: The expression must be of type boolean, not string at position 5.'],
    ['user.departmnt == "a"', "expression: Unknown attribute 'departmnt' at position 5."],
    ['user.department = "a"', "expression: Unexpected character '=' (equality is ==) at position 16."],
    ['user.constructor.name == "a"', "expression: Unknown attribute 'constructor' at position 5."],
    ['user.status == "ACTIVE"', "expression: Unknown attribute 'status' at position 5."],
    ['Time.now() > "2026"', 'expression: Time.now cannot be used here at position 0.'],
    [
      'getFilteredGroups({"a"}, "group.name", 1) == null',
      'expression: getFilteredGroups cannot be used here at position 0.',
    ],
    ['user.department > 5', 'expression: > is not defined for string and integer at position 5.'],
    [`${'('.repeat(70)}true${')'.repeat(70)}`, 'expression: Nested more than 64 levels deep at position 64.'],
    [`user.department == "${'a'.repeat(9_000)}"`, 'expression: Longer than 8192 characters at position 0.'],
    ['isMemberOfGroupNameRegex("(a+)+$(")', /must have RE2 syntax/],
  ])('refuses the expression %s', async (value, cause) => {
    const answer = await org.admin.post(RULES, { body: newRule([groupId], value) });
    expect(answer).toMatchObject({ ...INVALID, body: { errorSummary: 'Api validation failed: expression' } });
    expect(causeOf(answer)).toMatch(cause);
    expect(answer.body.errorCauses[0].location).toBe('conditions.expression.value');
  });

  test('tells every fault of an expression', async () => {
    const answer = await org.admin.post(RULES, { body: newRule([groupId], 'user.a == 1 || foo() || user.b') });
    expect(answer.body.errorCauses).toHaveLength(3);
  });

  test('refuses groups that are no rule’s to give', async () => {
    const everyone = await everyoneOf(org);
    const other = await service.newOrg();
    const foreign = await createGroup(other);
    for (const id of [everyone.id, foreign.id]) {
      expect(await org.admin.post(RULES, { body: newRule([id]) })).toMatchObject(INVALID);
    }
  });

  test('refuses users and groups to leave out that there are none of', async () => {
    const people = (users: unknown, groups: unknown) => ({
      conditions: {
        people: { users: { exclude: users }, groups: { exclude: groups } },
        expression: { value: 'true', type: 'urn:svc:expression:1.0' },
      },
    });
    const everyone = await everyoneOf(org);
    for (const given of [
      people(['00u00000000000000000'], []),
      people([], ['00g00000000000000000']),
      people([], [everyone.id]),
      people(
        Array.from({ length: 1_001 }, (_, index) => `00u${String(index).padStart(17, '0')}`),
        [],
      ),
    ]) {
      expect(await org.admin.post(RULES, { body: newRule([groupId], 'true', given) })).toMatchObject(INVALID);
    }
    const rule = await createRule(org, [groupId], 'true', people([org.adminUserId, org.adminUserId], []));
    expect(rule.conditions.people.users.exclude).toEqual([org.adminUserId]);
  });

  test('a name is one per org, also for two at once, and free in another', async () => {
    const body = newRule([groupId]);
    const answers = await Promise.all([1, 2, 3].map(() => org.admin.post(RULES, { body })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
    expect(causeOf(answers.find(({ status }) => status === 400) ?? { body: { errorCauses: [] } })).toContain(
      'already exists in the current organization',
    );
    const other = await service.newOrg();
    const { id } = await createGroup(other);
    const twin = { ...body, actions: { assignUserToGroups: { groupIds: [id] } } };
    expect(await other.admin.post(RULES, { body: twin })).toMatchObject({ status: 200 });
  });

  test('a repeated Idempotency-Key makes one', async () => {
    const options = { body: newRule([groupId]), headers: { 'idempotency-key': 'create-rule-1' } };
    const [first, second] = [await org.admin.post(RULES, options), await org.admin.post(RULES, options)];
    expect(second).toMatchObject({ status: 200, body: { id: first.body.id } });
  });
});

describe('get and list', () => {
  test('pages by id, with names of groups where they are asked for', async () => {
    const own = await service.newOrg();
    const group = await createGroup(own, { name: 'Named' });
    for (let count = 0; count < 5; count += 1) await createRule(own, [group.id]);
    const first = await own.admin.get(`${RULES}?limit=2&expand=groupIdToGroupNameMap`);
    expect(first.body).toHaveLength(2);
    expect(first.body[0]._embedded).toEqual({ groupIdToGroupNameMap: { [group.id]: 'Named' } });
    expect(String(first.headers['link'])).toContain('rel="next"');
    const all = (await own.admin.get(RULES)).body;
    expect(idsOf(all)).toEqual(idsOf(all).toSorted());
    expect(all).toHaveLength(5);
    expect(all[0]).not.toHaveProperty('_embedded');
    expect((await own.admin.get(`${rulePath(all[0].id)}?expand=groupIdToGroupNameMap`)).body._embedded).toBeDefined();
  });

  test('search finds by a part of the name, whatever its case', async () => {
    const own = await service.newOrg();
    const { id } = await createGroup(own);
    for (const name of ['Sales 100%', 'sales_two', 'Other']) await createRule(own, [id], 'true', { name });
    const found = async (search: string) =>
      (await own.admin.get(`${RULES}?search=${encodeURIComponent(search)}`)).body.map(
        ({ name }: { name: string }) => name,
      );
    expect((await found('SALES')).toSorted()).toEqual(['Sales 100%', 'sales_two']);
    expect(await found('%')).toEqual(['Sales 100%']);
    expect(await found('_')).toEqual(['sales_two']);
    expect(await found('nothing')).toEqual([]);
  });

  test.each(['limit=0', 'limit=x', 'expand=all', 'after=x'])('refuses ?%s', async (query) => {
    expect((await org.admin.get(`${RULES}?${query}`)).status).toBe(400);
  });

  test('an unknown rule, and one of another org, are not there', async () => {
    const other = await service.newOrg();
    const { id } = await createRule(other, [(await createGroup(other)).id]);
    for (const unknown of [id, '0pr00000000000000000', 'constructor']) {
      for (const [method, path] of [
        ['GET', ''],
        ['GET', '/evaluation'],
        ['PUT', ''],
        ['DELETE', ''],
        ['POST', '/lifecycle/activate'],
        ['POST', '/lifecycle/deactivate'],
      ] as const) {
        const given = method === 'PUT' ? { body: newRule([groupId]) } : {};
        expect(await org.admin.send(method, rulePath(unknown) + path, given), `${method} ${path}`).toMatchObject(GONE);
      }
    }
    expect((await other.admin.get(rulePath(id))).body.status).toBe('INACTIVE');
  });
});
