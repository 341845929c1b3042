import { readFile } from 'node:fs/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { checkReferences } from '../../src/management/policies/changes/check-references.ts';
import {
  DEFAULT_DISCOVERY_CONDITIONS,
  type DiscoveryProvider,
} from '../../src/management/policies/conditions/discovery-rules.ts';
import { createPolicyEngine, findRuleNaming, type PolicyEngine } from '../../src/management/policies/index.ts';
import { isOnCitus } from '../support/citus.ts';
import { newOidcProvider } from '../support/identity-providers.ts';
import { operatorContext } from '../support/org-settings.ts';
import { createPolicyPath, createRule, defaultPolicyPath, invalidWith } from '../support/policies.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service } = useService({ isShared: false });
let org: TestOrg;
let engine: PolicyEngine;
beforeEach(async () => {
  org = await service.newOrg();
  engine = createPolicyEngine({
    db: service.application.db,
    clock: service.clock,
    listProviders: () => Promise.resolve([]),
  });
});

const add = async (policy: string, name: string, given: Record<string, unknown>): Promise<string> =>
  `${policy}/rules/${(await createRule(org, policy, { name, ...given })).id}`;

const deny = { actions: { signon: { access: 'DENY' } } };
const home = { actions: { idp: { providers: [{ type: 'SVC' }] } } };
const suffix = (value: string) => ({
  ...home,
  conditions: { userIdentifier: { patterns: [{ matchType: 'SUFFIX', value }] } },
});

const signOn = (given: { userId?: string; zones?: readonly string[] } = {}) => {
  engine.drop(org.id);
  return engine.signOn(org.id, { userId: '00u1', zones: [], ...given });
};
const route = (login: string) => {
  engine.drop(org.id);
  const platform = { type: 'Unknown', os: 'Unknown' };
  return engine.route(org.id, { login, zones: [], appId: null, platform, attribute: () => undefined });
};

describe('sign-on', () => {
  test('without anything made the default lets everyone in, for two idle hours', async () => {
    expect(await signOn({ zones: ['nzo1'] })).toEqual({
      policyId: (await defaultPolicyPath(org)).split('/').at(-1),
      policyName: 'Default Policy',
      ruleId: expect.stringMatching(/^0pr/),
      ruleName: 'Default Rule',
      access: 'ALLOW',
      idleMinutes: 120,
      lifetimeMinutes: 0,
      usePersistentCookie: false,
      zones: ['nzo1'],
    });
  });

  test('policies are asked in their order, then their rules; those without a matching rule are passed', async () => {
    const empty = await createPolicyPath(org, { name: 'Empty' });
    const narrow = await createPolicyPath(org, { name: 'Narrow' });
    const wide = await createPolicyPath(org, { name: 'Wide' });
    const people = { people: { users: { include: [org.adminUserId] } } };
    await add(narrow, 'administrators', { ...deny, conditions: people });
    await add(wide, 'everyone', deny);
    expect(await signOn({ userId: org.adminUserId })).toMatchObject({ policyName: 'Narrow', access: 'DENY' });
    expect(await signOn()).toMatchObject({ policyName: 'Wide', ruleName: 'everyone' });
    await org.admin.put(wide, { body: { type: 'SVC_SIGN_ON', name: 'Wide', priority: 1 } });
    expect(await signOn({ userId: org.adminUserId })).toMatchObject({ policyName: 'Wide' });
    expect((await org.admin.get(empty)).body).toMatchObject({ priority: 2 });
  });

  test('inactive policies and rules are passed', async () => {
    const policy = await createPolicyPath(org, { name: 'P' });
    const first = await add(policy, 'first', deny);
    await add(policy, 'second', { actions: { signon: { access: 'ALLOW', session: { maxSessionIdleMinutes: 5 } } } });
    expect(await signOn()).toMatchObject({ ruleName: 'first', access: 'DENY' });
    await org.admin.post(`${first}/lifecycle/deactivate`);
    expect(await signOn()).toMatchObject({ ruleName: 'second', access: 'ALLOW', idleMinutes: 5 });
    await org.admin.post(`${policy}/lifecycle/deactivate`);
    expect(await signOn()).toMatchObject({ ruleName: 'Default Rule' });
    await org.admin.post(`${policy}/lifecycle/activate`);
    expect(await signOn()).toMatchObject({ ruleName: 'second' });
  });

  test('rules of one org say nothing of another', async () => {
    await add(await createPolicyPath(org, { name: 'P' }), 'R', deny);
    const other = await service.newOrg();
    expect(await engine.signOn(other.id, { userId: '00u1', zones: [] })).toMatchObject({ ruleName: 'Default Rule' });
  });

  test('a change of another process is seen within a second, an own one at once', async () => {
    const facts = { userId: '00u1', zones: [] };
    expect(await engine.signOn(org.id, facts)).toMatchObject({ access: 'ALLOW' });
    await add(await createPolicyPath(org, { name: 'P' }), 'R', deny);
    service.clock.advance(1_000);
    expect(await engine.signOn(org.id, facts)).toMatchObject({ access: 'DENY' });
  });

  test('without a default nobody is let in', async () => {
    await service.database.pool.query('delete from policies where org_id = $1', [org.id]);
    await expect(signOn()).rejects.toThrow('no default SIGN_ON policy');
    await expect(route('a@example.com')).rejects.toThrow('no default IDP_DISCOVERY policy');
  });
});

describe('routing', () => {
  test('without a rule every login belongs here', async () => {
    expect(await route('ada@example.com')).toEqual({
      policyId: (await defaultPolicyPath(org, 'IDP_DISCOVERY')).split('/').at(-1),
      policyName: 'Idp Discovery Policy',
      ruleId: expect.stringMatching(/^0pr/),
      ruleName: 'Default Rule',
      providers: [{ id: null, type: 'INTERNAL', name: 'INTERNAL' }],
    });
  });

  test('the first rule that matches decides, and moving it changes who that is', async () => {
    const policy = await defaultPolicyPath(org, 'IDP_DISCOVERY');
    const wide = await add(policy, 'wide', suffix('example.com'));
    await add(policy, 'narrow', suffix('eu.example.com'));
    expect(await route('a@EU.example.com')).toMatchObject({ ruleName: 'wide' });
    await org.admin.put(wide, { body: { name: 'wide', priority: 2, ...suffix('example.com') } });
    expect(await route('a@EU.example.com')).toMatchObject({ ruleName: 'narrow' });
    expect(await route('a@example.com')).toMatchObject({ ruleName: 'wide' });
    expect(await route('a@badexample.com')).toMatchObject({ ruleName: 'Default Rule' });
  });

  test('a rule is sent to the providers that are active', async () => {
    const providers = [
      { id: '0oaA', type: 'SAML2', name: 'A', status: 'ACTIVE' },
      { id: '0oaB', type: 'OIDC', name: 'B', status: 'INACTIVE' },
    ];
    const own = createPolicyEngine({
      db: service.application.db,
      clock: service.clock,
      listProviders: () => Promise.resolve(providers),
    });
    const policy = await defaultPolicyPath(org, 'IDP_DISCOVERY');
    const both = await add(policy, 'both', suffix('both.example'));
    const inactive = await add(policy, 'inactive', suffix('inactive.example'));
    const actionsOf = (...ids: readonly string[]) =>
      JSON.stringify({ providers: ids.map((id) => ({ id, type: 'SAML2' })) });
    const text = 'update policy_rules set actions = $3 where org_id = $1 and id = $2';
    await service.database.pool.query(text, [org.id, both.split('/').at(-1), actionsOf('0oaB', '0oaA')]);
    await service.database.pool.query(text, [org.id, inactive.split('/').at(-1), actionsOf('0oaB')]);
    const platform = { type: 'Unknown', os: 'Unknown' };
    const to = (login: string) =>
      own.route(org.id, { login, zones: [], appId: null, platform, attribute: () => undefined });
    expect(await to('a@both.example')).toMatchObject({ providers: [{ id: '0oaA', type: 'SAML2', name: 'A' }] });
    expect(await to('a@inactive.example')).toMatchObject({ ruleName: 'Default Rule', providers: [{ id: null }] });
    expect(await findRuleNaming(service.application.db, org.id, '0oaA')).toBe('both');
    expect(await findRuleNaming(service.application.db, org.id, '0oaC')).toBeNull();
    const other = await service.newOrg();
    expect(await findRuleNaming(service.application.db, other.id, '0oaA')).toBeNull();
  });
});

test('a rule that names a zone is found by it', async () => {
  const gateways = [{ type: 'CIDR', value: '192.0.2.0/24' }];
  const zone = await org.admin.post('/api/v1/zones', { body: { type: 'IP', name: 'Office', gateways } });
  expect(await findRuleNaming(service.application.db, org.id, zone.body.id)).toBeNull();
  const network = { connection: 'ZONE', exclude: [zone.body.id] };
  await add(await createPolicyPath(org, { name: 'P' }), 'Outside', { ...deny, conditions: { network } });
  expect(await findRuleNaming(service.application.db, org.id, zone.body.id)).toBe('Outside');
  await org.admin.post(`/api/v1/zones/${zone.body.id}/lifecycle/deactivate`);
  expect(await org.admin.del(`/api/v1/zones/${zone.body.id}`)).toMatchObject(invalidWith('the rule Outside'));
});

describe('providers that a rule names', () => {
  let providerId: string;

  beforeEach(async () => {
    const { id } = (await org.admin.post('/api/v1/idps', { body: newOidcProvider() })).body;
    providerId = id;
    await org.admin.post(`/api/v1/idps/${id}/lifecycle/deactivate`);
  });

  const check = (...providers: DiscoveryProvider[]) => {
    const document = {
      type: 'IDP_DISCOVERY',
      conditions: DEFAULT_DISCOVERY_CONDITIONS,
      actions: { providers },
    } as const;
    return checkReferences(service.application.db, operatorContext(service, org), document, null);
  };

  test('are stored with the type that they are of', async () => {
    for (const type of [null, 'OIDC']) {
      expect((await check({ id: providerId, type }, { id: null, type: 'INTERNAL' })).actions).toEqual({
        providers: [
          { id: providerId, type: 'OIDC' },
          { id: null, type: 'INTERNAL' },
        ],
      });
    }
  });

  test.each([
    ['another type', () => ({ id: providerId, type: 'SAML2' }), () => `${providerId} is of the type OIDC`],
    ['none at all', () => ({ id: '0oaB', type: 'SAML2' }), () => 'There is no identity provider 0oaB'],
  ])('refuses %s', async (_, provider, text) => {
    await expect(check(provider())).rejects.toMatchObject({
      code: 'E0000001',
      causes: [{ errorSummary: expect.stringContaining(text()) }],
    });
  });
});

describe('the migrations that give older orgs their defaults', () => {
  const textOf = (name: string) => readFile(new URL(`../../migrations/${name}.sql`, import.meta.url), 'utf8');
  const defaultsOf = async (orgId: string) => {
    const { rows } = await service.database.pool.query<{ suffixes: boolean }>(
      `select p.type, p.name, p.status, p.priority, p.description, p.conditions, p.settings, r.type as rule_type,
         r.name as rule_name, r.status as rule_status, r.priority as rule_priority, r.conditions as rule_conditions,
         r.actions, r.system, length(p.id) as length, length(r.id) as rule_length,
         p.id ~ '^(00p|rst)[0-9A-Za-z]{17}$' and r.id ~ '^(0pr|rul)[0-9A-Za-z]{17}$'
           and (p.id ~ '^rst') = (r.id ~ '^rul') as well_formed, p.id ~ '^rst' as newer,
         right(p.id, 3) = right(p.org_id, 3) and right(r.id, 3) = right(p.org_id, 3) as suffixes
       from policies p join policy_rules r on r.org_id = p.org_id and r.policy_id = p.id
       where p.org_id = $1 and p.system order by p.type`,
      [orgId],
    );
    return rows;
  };

  // A migration before the distribution may do what Citus refuses.
  test.skipIf(isOnCitus)('makes what creating an org makes, once', async () => {
    const made = await defaultsOf(org.id);
    expect(made).toHaveLength(11);
    for (const row of made) expect(row).toMatchObject({ suffixes: true, well_formed: true });
    const kept = await service.newOrg();
    const before = await service.database.pool.query('select * from policies where org_id = $1 order by id', [kept.id]);
    await service.database.pool.query('delete from policies where org_id = $1', [org.id]);
    const [first, second] = await Promise.all(['0008_default_policies', '0021_policies'].map(textOf));
    const filling = (second ?? '').slice((second ?? '').indexOf('-- Whom sign-on policies'));
    for (const text of [first ?? '', filling, first ?? '', filling]) await service.database.pool.query(text);
    expect(await defaultsOf(org.id)).toEqual(made);
    const after = await service.database.pool.query('select * from policies where org_id = $1 order by id', [kept.id]);
    expect(after.rows).toEqual(before.rows);
  });
});
