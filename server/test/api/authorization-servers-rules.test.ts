import { beforeAll, describe, expect, test } from 'vitest';
import {
  evaluateServerPolicies,
  findAuthorizationServer,
  readServerPolicies,
} from '../../src/management/authorization-servers/index.ts';
import { createApp } from '../support/apps.ts';
import {
  createScope,
  createServerPath,
  createServerPolicy,
  createServerPolicyPath,
  createServerRule,
  DEFAULT_SERVER,
  missing,
  newServerRule,
  refusedWith,
  ruleConditions,
} from '../support/authorization-servers.ts';
import { createGroup } from '../support/groups.ts';
import { useService } from '../support/use-service.ts';
import { linksOf } from '../support/users.ts';

const { service, org } = useService();
let server: string;
let policy: string;

beforeAll(async () => {
  server = await createServerPath(org);
  policy = await createServerPolicyPath(org, server);
});

const orderOf = async (path: string): Promise<[number, string][]> =>
  (await org.admin.get(`${path}/rules`)).body.map(({ name, priority }: { name: string; priority: number }) => [
    priority,
    name,
  ]);

describe('create', () => {
  test('answers as the contract has it', async () => {
    const group = await createGroup(org);
    const body = {
      actions: {
        token: { accessTokenLifetimeMinutes: 60, refreshTokenLifetimeMinutes: 0, refreshTokenWindowMinutes: 10_080 },
      },
      conditions: {
        grantTypes: { include: ['implicit'] },
        people: { groups: { include: [group.id] }, users: {} },
        scopes: {},
      },
      name: 'Test Policy Rule 00',
      priority: 1,
      status: 'ACTIVE',
      type: 'RESOURCE_ACCESS',
    };
    const own = await createServerPolicyPath(org, server);
    const made = await org.admin.post(`${own}/rules`, { body });
    const address = `${org.baseUrl}${own}/rules/${made.body.id}`;
    expect(made).toMatchObject({ status: 201, headers: { etag: expect.stringContaining('W/"') } });
    expect(made.body).toEqual({
      id: expect.stringMatching(/^0pr[0-9A-Za-z]{17}$/),
      ...body,
      conditions: {
        people: { users: { include: [], exclude: [] }, groups: { include: [group.id], exclude: [] } },
        grantTypes: { include: ['implicit'] },
        scopes: { include: [] },
      },
      system: false,
      created: expect.any(String),
      lastUpdated: made.body.created,
      _links: {
        self: { href: address, hints: { allow: ['GET', 'PUT', 'DELETE'] } },
        deactivate: { href: `${address}/lifecycle/deactivate`, hints: { allow: ['POST'] } },
      },
    });
    expect((await org.admin.get(`${own}/rules/${made.body.id}`)).body).toEqual(made.body);
  });

  test('may name users, groups, scopes of the server, and grants of the namespace', async () => {
    const scope = await createScope(org, server);
    const user = await org.createUser();
    const conditions = {
      people: { users: { include: [user.id], exclude: [] }, groups: { include: [], exclude: [] } },
      grantTypes: { include: ['password', 'urn:svc:params:oauth:grant-type:otp'] },
      scopes: { include: ['openid', scope.name] },
    };
    expect(await createServerRule(org, policy, { conditions })).toMatchObject({ conditions });
  });

  const people = (given: object) => ({ conditions: ruleConditions({ people: given }) });
  const token = (given: object) => ({ actions: { token: given } });
  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['type: must be one of RESOURCE_ACCESS', { type: 'SIGN_ON' }],
    ['conditions: The field cannot be left blank', { conditions: null }],
    ['conditions.people: must include users or groups', people({ groups: { exclude: ['x'] } })],
    ['There is no user 00u00000000000000000.', people({ users: { include: ['00u00000000000000000'] } })],
    ['There is no group 00g00000000000000000.', people({ groups: { include: ['EVERYONE', '00g00000000000000000'] } })],
    ['There is no scope nothing.', { conditions: ruleConditions({ scopes: { include: ['nothing'] } }) }],
    ['must not contain refresh_token', { conditions: ruleConditions({ grantTypes: { include: ['refresh_token'] } }) }],
    ['conditions.grantTypes.include: The field', { conditions: ruleConditions({ grantTypes: null }) }],
    ['from 5 to 1440', token({ accessTokenLifetimeMinutes: 1 })],
    ['must be 0 or at least', token({ accessTokenLifetimeMinutes: 30, refreshTokenLifetimeMinutes: 29 })],
    ['from 10 to 2628000', token({ refreshTokenWindowMinutes: 0 })],
    ['inlineHook: is not supported yet', token({ inlineHook: { id: 'cal' } })],
  ])('refuses: %s', async (cause, given) => {
    expect(await org.admin.post(`${policy}/rules`, { body: newServerRule(given) })).toMatchObject(refusedWith(cause));
  });

  test("knows nobody of another org, and no other server's scopes", async () => {
    const other = await service.newOrg();
    const user = await other.createUser();
    const [scope, group] = [await createScope(org, DEFAULT_SERVER), await createGroup(other)];
    for (const [conditions, cause] of [
      [ruleConditions({ people: { users: { include: [user.id] } } }), `no user ${user.id}`],
      [ruleConditions({ people: { groups: { include: [group.id] } } }), `no group ${group.id}`],
      [ruleConditions({ scopes: { include: [scope.name] } }), `no scope ${scope.name}`],
    ] as const) {
      const body = newServerRule({ conditions });
      expect(await org.admin.post(`${policy}/rules`, { body })).toMatchObject(refusedWith(cause));
    }
  });

  test('a name stands once in a policy; of two at once one is made', async () => {
    const body = newServerRule({ name: 'once' });
    const answers = await Promise.all([1, 2].map(() => org.admin.post(`${policy}/rules`, { body })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400]);
  });
});

describe('order', () => {
  test('who comes in at a place moves the others; replace moves; delete closes the gap; pages follow it', async () => {
    const path = await createServerPolicyPath(org, server);
    for (const name of ['A', 'B']) await createServerRule(org, path, { name });
    const c = await createServerRule(org, path, { name: 'C', priority: 1 });
    expect(await orderOf(path)).toEqual([
      [1, 'C'],
      [2, 'A'],
      [3, 'B'],
    ]);
    const body = newServerRule({ name: 'C', priority: 2 });
    expect(await org.admin.put(`${path}/rules/${c.id}`, { body })).toMatchObject({
      status: 200,
      body: { priority: 2 },
    });
    const first = await org.admin.get(`${path}/rules?limit=2`);
    const second = await org.admin.get(linksOf(first).next ?? '');
    expect([...first.body, ...second.body].map(({ name }) => name)).toEqual(['A', 'C', 'B']);
    await org.admin.del(`${path}/rules/${c.id}`);
    expect(await orderOf(path)).toEqual([
      [1, 'A'],
      [2, 'B'],
    ]);
  });

  test('without gaps also when many come and go at once', async () => {
    const path = await createServerPolicyPath(org, server);
    const first = await Promise.all(Array.from({ length: 6 }, () => createServerRule(org, path, { priority: 1 })));
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => org.admin.post(`${path}/rules`, { body: newServerRule({ priority: 2 }) })),
      ...first.slice(0, 3).map(({ id }) => org.admin.del(`${path}/rules/${id}`)),
    ]);
    expect(answers.filter(({ status }) => status >= 300)).toEqual([]);
    expect((await orderOf(path)).map(([priority]) => priority)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });
});

describe('replace, lifecycle and delete', () => {
  test('leave events, and nothing where nothing changes', async () => {
    const own = await service.newOrg();
    const path = await createServerPolicyPath(own, await createServerPath(own));
    const made = await createServerRule(own, path);
    const single = `${path}/rules/${made.id}`;
    expect((await own.admin.put(single, { body: made })).body).toEqual(made);
    const actions = { token: { accessTokenLifetimeMinutes: 5, refreshTokenLifetimeMinutes: 5 } };
    const changed = await own.admin.put(single, { body: newServerRule({ name: 'B', actions }) });
    expect(changed.body.actions.token).toEqual({ ...actions.token, refreshTokenWindowMinutes: 10_080 });
    for (const action of ['deactivate', 'deactivate', 'activate']) {
      expect(await own.admin.post(`${single}/lifecycle/${action}`)).toMatchObject({ status: 204, text: '' });
    }
    const off = newServerRule({ name: 'B', actions, status: 'INACTIVE' });
    expect((await own.admin.put(single, { body: off })).body).toMatchObject({ status: 'INACTIVE' });
    expect(await own.admin.del(single)).toMatchObject({ status: 204 });
    const events = await own.systemLog('eventType sw "policy.rule."');
    expect(events.map(({ eventType }) => eventType.slice('policy.rule.'.length))).toEqual([
      'add',
      'update',
      'deactivate',
      'activate',
      'update',
      'deactivate',
      'delete',
    ]);
    for (const { target } of events) {
      expect(target).toMatchObject([
        { type: 'Policy' },
        { type: 'Rule', id: made.id },
        { type: 'AuthorizationServer' },
      ]);
    }
  });

  test('refuse an old tag, unknown ids and those of other policies', async () => {
    const { id } = await createServerRule(org, policy);
    const path = `${policy}/rules/${id}`;
    const headers = { 'if-match': String((await org.admin.get(path)).headers['etag']) };
    expect(await org.admin.put(path, { body: newServerRule(), headers })).toMatchObject({ status: 200 });
    expect(await org.admin.put(path, { body: newServerRule(), headers })).toMatchObject({ status: 412 });
    expect(await org.admin.post(`${path}/lifecycle/deactivate`, { headers })).toMatchObject({ status: 412 });
    expect(await org.admin.del(path, { headers })).toMatchObject({ status: 412 });
    const elsewhere = `${await createServerPolicyPath(org, server)}/rules/${id}`;
    expect(await org.admin.get(elsewhere)).toMatchObject(missing(id, 'PolicyRule'));
    expect(await org.admin.put(elsewhere, { body: newServerRule() })).toMatchObject(missing(id, 'PolicyRule'));
    expect(await org.admin.post(`${elsewhere}/lifecycle/activate`)).toMatchObject(missing(id, 'PolicyRule'));
    expect(await org.admin.del(elsewhere)).toMatchObject(missing(id, 'PolicyRule'));
  });
});

describe('what decides about tokens', () => {
  async function decide(path: string, given: { clientId?: string; groupIds?: readonly string[]; scopes?: string[] }) {
    const id = path.split('/').at(-1) ?? '';
    const found = await findAuthorizationServer(service.database.db, org.id, id);
    if (found === null) throw new Error(`there is no server ${id}`);
    const policies = await readServerPolicies(service.database.db, org.id, found.id);
    const request = {
      clientId: 'app',
      userId: 'ada',
      groupIds: [],
      grantType: 'authorization_code',
      scopes: ['openid'],
    };
    const decision = evaluateServerPolicies(policies, { ...request, ...given });
    return decision === null ? null : `${decision.policy.name} ${decision.rule.name}`;
  }

  test('of the default server everyone gets tokens; of a new one nobody', async () => {
    expect(await decide(DEFAULT_SERVER, {})).toBe('Default Policy Default Policy Rule');
    expect(await decide(await createServerPath(org), {})).toBeNull();
  });

  test('active rules of active policies, by their places', async () => {
    const path = await createServerPath(org);
    const app = await createApp(org);
    const crew = await createGroup(org);
    const first = await createServerPolicy(org, path, { name: 'P', conditions: { clients: { include: [app.id] } } });
    const second = await createServerPolicy(org, path, { name: 'Q' });
    await createServerRule(org, `${path}/policies/${second.id}`, { name: 'q' });
    const own = `${path}/policies/${first.id}`;
    const forCrew = ruleConditions({ people: { groups: { include: [crew.id] } } });
    const rule = await createServerRule(org, own, { name: 'p', conditions: forCrew });
    const asked = { clientId: app.id, groupIds: [crew.id] };
    expect(await decide(path, asked)).toBe('P p');
    expect(await decide(path, { ...asked, groupIds: [] })).toBe('Q q');
    expect(await decide(path, {})).toBe('Q q');
    const before = await createServerRule(org, own, { name: 'o', conditions: forCrew, priority: 1 });
    expect(await decide(path, asked)).toBe('P o');
    await org.admin.post(`${own}/rules/${before.id}/lifecycle/deactivate`);
    expect(await decide(path, asked)).toBe('P p');
    await org.admin.post(`${own}/lifecycle/deactivate`);
    expect(await decide(path, asked)).toBe('Q q');
    await org.admin.post(`${own}/lifecycle/activate`);
    expect(await decide(path, asked)).toBe('P p');
    await org.admin.del(`${own}/rules/${rule.id}`);
    expect(await decide(path, asked)).toBe('Q q');
    await org.admin.del(`${path}/policies/${second.id}`);
    expect(await decide(path, asked)).toBeNull();
  });

  test('says when the server was deactivated: what it issued before stays dead', async () => {
    const path = await createServerPath(org);
    const factsOf = () => findAuthorizationServer(service.database.db, org.id, path.split('/').at(-1) ?? '');
    const before = await factsOf();
    await org.admin.post(`${path}/lifecycle/deactivate`);
    const inactive = await factsOf();
    await org.admin.post(`${path}/lifecycle/activate`);
    const after = await factsOf();
    expect(before).toMatchObject({
      status: 'ACTIVE',
      issuerPath: path.replace('/api/v1/authorizationServers', '/oauth2'),
    });
    expect(inactive?.validAfter.getTime()).toBeGreaterThan(before?.validAfter.getTime() ?? Infinity);
    expect(after).toEqual({ ...inactive, status: 'ACTIVE' });
  });
});
