import { describe, expect, test } from 'vitest';
import {
  createPolicy,
  defaultPolicy,
  invalidWith,
  listPolicies,
  newPolicy,
  POLICIES,
  SIGN_ON_TYPE,
} from '../support/policies.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });

describe('defaults', () => {
  test('every org has one of each type, with its rule, and nothing else', async () => {
    const own = await service.newOrg();
    for (const [type, name] of [
      [SIGN_ON_TYPE, 'Default Policy'],
      ['IDP_DISCOVERY', 'Idp Discovery Policy'],
    ] as const) {
      const policies = await listPolicies(own, `type=${type}`);
      expect(policies).toMatchObject([{ type, name, priority: 1, system: true, status: 'ACTIVE' }]);
      const { id } = await defaultPolicy(own, type);
      expect(id).toMatch(/^00p[0-9A-Za-z]{17}$/);
      expect(id.slice(-3)).toBe(own.id.slice(-3));
      const address = `${own.baseUrl}${POLICIES}/${id}`;
      expect((await own.admin.get(`${POLICIES}/${id}`)).body._links).toEqual({
        self: { href: address, hints: { allow: ['GET', 'PUT'] } },
        rules: { href: `${address}/rules`, hints: { allow: ['GET', 'POST'] } },
        mappings: { href: `${address}/mappings`, hints: { allow: ['GET', 'POST'] } },
      });
      const { body } = await own.admin.get(`${POLICIES}/${id}/rules`);
      expect(body).toMatchObject([{ name: 'Default Rule', priority: 1, system: true, status: 'ACTIVE' }]);
      expect(Object.keys(body[0]._links)).toEqual(['self']);
    }
  });

  test('are neither deleted, deactivated, renamed, moved nor narrowed', async () => {
    const { id, name } = await defaultPolicy(org);
    for (const [method, path, body] of [
      ['DELETE', '', undefined],
      ['POST', '/lifecycle/deactivate', undefined],
      ['PUT', '', { type: SIGN_ON_TYPE, name: 'Other' }],
      ['PUT', '', { type: SIGN_ON_TYPE, name, status: 'INACTIVE' }],
      ['PUT', '', { type: SIGN_ON_TYPE, name, priority: 99 }],
      ['PUT', '', { type: SIGN_ON_TYPE, name, conditions: { people: { groups: { include: ['00g1'] } } } }],
    ] as const) {
      const answer = await org.admin.send(method, `${POLICIES}/${id}${path}`, body === undefined ? {} : { body });
      expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    }
    expect(await org.admin.post(`${POLICIES}/${id}/lifecycle/activate`)).toMatchObject({ status: 204 });
    expect(await defaultPolicy(org)).toMatchObject({ name: 'Default Policy', status: 'ACTIVE' });
  });

  test('may be put back as they were read, and described', async () => {
    const own = await service.newOrg();
    const { id } = await defaultPolicy(own);
    const { body } = await own.admin.get(`${POLICIES}/${id}`);
    expect(await own.admin.put(`${POLICIES}/${id}`, { body })).toMatchObject({ status: 200, body });
    expect(await own.systemLog('eventType sw "policy."')).toEqual([]);
    const described = { ...body, description: 'For all who have no other' };
    expect(await own.admin.put(`${POLICIES}/${id}`, { body: described })).toMatchObject({
      status: 200,
      body: { description: 'For all who have no other', system: true },
    });
  });
});

describe('create', () => {
  test('answers the policy with the links of its status, and logs it', async () => {
    const own = await service.newOrg();
    const policy = await createPolicy(own, { description: 'Staff', status: 'ACTIVE' });
    const address = `${own.baseUrl}${POLICIES}/${policy.id}`;
    expect(policy).toMatchObject({
      id: expect.stringMatching(/^00p[0-9A-Za-z]{17}$/),
      type: SIGN_ON_TYPE,
      status: 'ACTIVE',
      description: 'Staff',
      priority: 1,
      system: false,
      conditions: { people: { groups: { include: [] } } },
      created: expect.stringMatching(/\.000Z$/),
      _links: {
        self: { href: address, hints: { allow: ['GET', 'PUT', 'DELETE'] } },
        rules: { href: `${address}/rules`, hints: { allow: ['GET', 'POST'] } },
        deactivate: { href: `${address}/lifecycle/deactivate`, hints: { allow: ['POST'] } },
      },
    });
    expect((await own.admin.get(`${POLICIES}/${policy.id}`)).body).toEqual(policy);
    expect(await own.systemLog('eventType sw "policy."')).toMatchObject([
      {
        eventType: 'policy.lifecycle.create',
        target: [{ id: policy.id, type: 'Policy', displayName: policy.name }],
        outcome: { result: 'SUCCESS' },
      },
    ]);
  });

  test('activate=false and a status make it inactive from the start', async () => {
    const { body } = await org.admin.post(`${POLICIES}?activate=false`, { body: newPolicy({ status: 'ACTIVE' }) });
    expect(body).toMatchObject({ status: 'INACTIVE', _links: { activate: {} } });
    expect(await createPolicy(org, { status: 'INACTIVE' })).toMatchObject({ status: 'INACTIVE' });
  });

  test.each([
    [{ type: 'SIGN_ON' }, 'There is no policy type'],
    [{ type: 'OTHER' }, 'There is no policy type'],
    [{ type: undefined }, 'type: '],
    [{ type: 'IDP_DISCOVERY' }, 'exactly one policy'],
    [{ name: ' ' }, 'name: '],
    [{ name: 'x'.repeat(256) }, 'name: '],
    [{ description: 'x'.repeat(1_025) }, 'description: '],
    [{ priority: 0 }, 'priority: '],
    [{ conditions: { people: { groups: { include: ['00gUnknown'] } } } }, 'There is no group 00gUnknown'],
    [{ conditions: { people: { users: { include: [] } } } }, 'not supported yet'],
    [{ settings: { password: {} } }, 'not supported yet'],
  ])('refuses %j', async (given, text) => {
    const before = await listPolicies(org);
    expect(await org.admin.post(POLICIES, { body: newPolicy(given) })).toMatchObject(invalidWith(text));
    expect(await listPolicies(org)).toEqual(before);
  });

  test.each([{ name: undefined }, { name: 5 }, { priority: '1' }, { status: 'GONE' }, { conditions: [] }])(
    'refuses the shape of %j',
    async (given) => {
      expect(await org.admin.post(POLICIES, { body: newPolicy(given) })).toMatchObject({
        status: 400,
        body: { errorCode: 'E0000001' },
      });
    },
  );

  test('a name is one per type and org', async () => {
    const { name } = await createPolicy(org);
    const refused = await org.admin.post(POLICIES, { body: newPolicy({ name }) });
    expect(refused).toMatchObject(invalidWith('already exists in the current organization'));
    await createPolicy(await service.newOrg(), { name });
  });

  test('a repeated Idempotency-Key makes one', async () => {
    const options = { body: newPolicy(), headers: { 'idempotency-key': 'create-policy-1' } };
    const [first, second] = [await org.admin.post(POLICIES, options), await org.admin.post(POLICIES, options)];
    expect(second).toMatchObject({ status: 200, body: { id: first.body.id } });
    expect((await listPolicies(org)).filter(({ name }) => name === options.body['name'])).toHaveLength(1);
  });

  test('the hundredth is the last', async () => {
    const own = await service.newOrg();
    for (let made = 0; made < 100; made += 1) await createPolicy(own);
    expect(await own.admin.post(POLICIES, { body: newPolicy() })).toMatchObject(invalidWith('at most 100'));
    expect(await listPolicies(own)).toHaveLength(101);
  });
});

describe('replace', () => {
  test('changes name, description and status, and says what changed', async () => {
    const own = await service.newOrg();
    const policy = await createPolicy(own, { name: 'Before', description: 'Old' });
    service.clock.advance(5_000);
    const body = { type: SIGN_ON_TYPE, name: 'After', status: 'INACTIVE' };
    const replaced = await own.admin.put(`${POLICIES}/${policy.id}`, { body });
    expect(replaced).toMatchObject({ status: 200, body: { ...body, id: policy.id, description: null, priority: 1 } });
    expect(replaced.body.lastUpdated > policy.lastUpdated).toBe(true);
    expect((await own.admin.get(`${POLICIES}/${policy.id}`)).body).toEqual(replaced.body);
    const events = await own.systemLog('eventType sw "policy."');
    expect(events.map(({ eventType }) => eventType)).toEqual([
      'policy.lifecycle.create',
      'policy.lifecycle.update',
      'policy.lifecycle.deactivate',
    ]);
    expect(events[1]?.target[0]).toMatchObject({
      id: policy.id,
      changeDetails: {
        from: { name: 'Before', description: 'Old', status: 'ACTIVE' },
        to: { name: 'After', description: null, status: 'INACTIVE' },
      },
    });
  });

  test('by the same changes nothing and logs nothing', async () => {
    const own = await service.newOrg();
    const policy = await createPolicy(own);
    service.clock.advance(5_000);
    expect(await own.admin.put(`${POLICIES}/${policy.id}`, { body: policy })).toMatchObject({
      status: 200,
      body: policy,
    });
    expect(await own.systemLog('eventType sw "policy."')).toHaveLength(1);
  });

  test('a policy keeps its type, and names stay unique', async () => {
    const { id, name } = await createPolicy(org);
    expect(await org.admin.put(`${POLICIES}/${id}`, { body: { type: 'IDP_DISCOVERY', name } })).toMatchObject(
      invalidWith('cannot be changed'),
    );
    const other = await createPolicy(org);
    expect(await org.admin.put(`${POLICIES}/${id}`, { body: { type: SIGN_ON_TYPE, name: other.name } })).toMatchObject(
      invalidWith('already exists'),
    );
  });
});
