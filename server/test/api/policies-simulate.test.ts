import { beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../support/apps.ts';
import { beforeTests } from '../support/before-tests.ts';
import type { TestResponse } from '../support/client.ts';
import { addMember, createGroup } from '../support/groups.ts';
import { createPolicy, invalidWith, POLICIES } from '../support/policies.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf } from '../support/users.ts';

type Given = Readonly<Record<string, unknown>>;
type Body = TestResponse['body'];

const { service, org } = useService();
const app = beforeTests(() => createApp(org));
const group = beforeTests(() => createGroup(org));
let zone: Body;
const user = beforeTests(() => org.createUser());

beforeAll(async () => {
  await addMember(org, group.id, user.id);
  const gateways = [{ type: 'CIDR', value: '192.0.2.0/24' }];
  zone = (await org.admin.post('/api/v1/zones', { body: { type: 'IP', name: 'Office', gateways } })).body;
  const policy = await createPolicy(org, {
    name: 'Staff',
    conditions: { people: { groups: { include: [group.id] } } },
  });
  const network = { connection: 'ZONE', include: [zone.id] };
  for (const [name, access, conditions] of [
    ['Office', 'ALLOW', { network }],
    ['Elsewhere', 'DENY', {}],
  ] as const) {
    const body = { name, conditions, actions: { signon: { access } } };
    const made = await org.admin.post(`${POLICIES}/${policy.id}/rules`, { body });
    expect(made.status, made.text).toBe(200);
  }
});

const simulate = (policyContext: Given, query = '', given: Given = {}): Promise<TestResponse> =>
  org.admin.post(`${POLICIES}/simulate${query}`, {
    body: [{ appInstance: app.id, policyTypes: ['SVC_SIGN_ON'], policyContext, ...given }],
  });
const decidedBy = ({ body }: TestResponse): [status: string, policy: string, rule: string] => [
  body[0].status,
  body[0].result.policies[0]?.name,
  body[0].result.policies[0]?.rules[0].name,
];

describe('a simulation of a sign-in', () => {
  test('of a user, from a zone, an address, or elsewhere', async () => {
    const of = { user: { id: user.id } };
    expect(decidedBy(await simulate({ ...of, zones: { ids: [zone.id] } }))).toEqual(['MATCH', 'Staff', 'Office']);
    expect(decidedBy(await simulate({ ...of, ip: '192.0.2.9' }))).toEqual(['MATCH', 'Staff', 'Office']);
    expect(decidedBy(await simulate({ ...of, ip: '198.51.100.1' }))).toEqual(['MATCH', 'Staff', 'Elsewhere']);
    const stranger = await org.createUser();
    const decided = await simulate({ user: { id: stranger.id }, zones: { ids: [] } });
    expect(decidedBy(decided)).toEqual(['MATCH', 'Default Policy', 'Default Rule']);
  });

  test('of groups', async () => {
    const from = { zones: { ids: [zone.id] } };
    expect(decidedBy(await simulate({ ...from, groups: { ids: [group.id] } }))).toEqual(['MATCH', 'Staff', 'Office']);
    expect(decidedBy(await simulate({ ...from, groups: { ids: ['00gOther'] } }))[1]).toBe('Default Policy');
  });

  test('what was not said leaves it open, and says which rules may decide', async () => {
    const { body } = await simulate({ user: { id: user.id } }, '?expand=RULE');
    expect(body).toMatchObject([
      {
        status: 'UNDEFINED',
        policyType: ['SVC_SIGN_ON'],
        result: { policies: [{ name: 'Staff', rules: [{ name: 'Elsewhere', status: 'MATCH' }] }] },
        undefined: {
          policies: [
            {
              name: 'Staff',
              status: 'UNDEFINED',
              conditions: [{ type: 'people.groups', status: 'MATCH' }],
              rules: [{ name: 'Office', status: 'UNDEFINED', conditions: [{ type: 'network', status: 'UNDEFINED' }] }],
            },
          ],
        },
        evaluated: { policies: [] },
      },
    ]);
  });

  test('what was passed is told when it is asked for', async () => {
    const facts = { user: { id: user.id }, ip: '198.51.100.1' };
    expect((await simulate(facts)).body[0].evaluated).toEqual({ policies: [] });
    const { body } = await simulate(facts, '?expand=EVALUATED,RULE');
    expect(body[0].evaluated.policies).toMatchObject([
      { name: 'Staff', status: 'NOT_MATCH', rules: [{ name: 'Office', status: 'NOT_MATCH' }] },
    ]);
  });

  test('types that nothing asks yet are undefined, and all four are told where none is said', async () => {
    const { body } = await simulate({ user: { id: user.id } }, '', { policyTypes: null });
    expect(body.map(({ policyType, status }: Body) => [policyType[0], status])).toEqual([
      ['SVC_SIGN_ON', 'UNDEFINED'],
      ['MFA_ENROLL', 'UNDEFINED'],
      ['ACCESS_POLICY', 'MATCH'],
      ['PROFILE_ENROLLMENT', 'UNDEFINED'],
    ]);
    expect(body[3]).toMatchObject({ result: { policies: [] }, undefined: { policies: [{ name: 'Default Policy' }] } });
  });

  test('agrees with what a sign-in does, changes nothing, and is open to those who may read policies', async () => {
    const reader = await org.withRoles('READ_ONLY_ADMIN');
    const answer = await reader.post(`${POLICIES}/simulate`, { body: [{ appInstance: app.id }] });
    expect(answer.status).toBe(200);
    expect(await eventsOf(org, answer)).toEqual([]);
  });
});

describe('is refused', () => {
  test.each([
    [{ policyTypes: ['PASSWORD'] }, 'policyTypes: must contain only'],
    [{ policyContext: { user: { id: 'x' }, groups: { ids: [] } } }, 'must have either a user or groups'],
  ])('%j', async (given, text) => {
    expect(await simulate({}, '', given)).toMatchObject(invalidWith(text));
  });

  test("what does not exist, or is another org's", async () => {
    const other = await service.newOrg();
    const foreign = await createApp(other);
    for (const appInstance of ['0oaUnknown', foreign.id]) {
      expect(await simulate({}, '', { appInstance })).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
    }
    expect(await simulate({ user: { id: other.adminUserId } })).toMatchObject({ status: 404 });
    expect(await simulate({}, '?expand=ALL')).toMatchObject({ status: 200 });
    for (const body of [{}, [{}], [{ appInstance: 5 }], Array.from({ length: 21 }, () => ({ appInstance: app.id }))]) {
      expect(await org.admin.post(`${POLICIES}/simulate`, { body })).toMatchObject({ status: 400 });
    }
    const nobody = await org.withRoles();
    expect(await nobody.post(`${POLICIES}/simulate`, { body: [{ appInstance: app.id }] })).toMatchObject({
      status: 403,
    });
  });
});
