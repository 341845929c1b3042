import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ANY_SCOPE,
  EVERYONE,
  evaluateServerPolicies,
  type PolicyRequest,
  type ServerPolicy,
  type ServerRule,
  type ServerRuleConditions,
} from './policy-rules.ts';

const NO_ONE = { include: [], exclude: [] };
const ALL = { include: [EVERYONE], exclude: [] };

const conditions = (given: Partial<ServerRuleConditions> = {}): ServerRuleConditions => ({
  people: { users: NO_ONE, groups: ALL },
  grantTypes: { include: ['authorization_code', 'client_credentials'] },
  scopes: { include: [ANY_SCOPE] },
  ...given,
});

const rule = (name: string, given: Partial<ServerRuleConditions> = {}): ServerRule => ({
  id: `0pr ${name}`,
  name,
  conditions: conditions(given),
  accessTokenLifetimeMinutes: 60,
  refreshTokenLifetimeMinutes: 0,
  refreshTokenWindowMinutes: 10_080,
});

const policy = (name: string, rules: readonly ServerRule[], clients = ['ALL_CLIENTS']): ServerPolicy => ({
  id: `00p ${name}`,
  name,
  clients,
  rules,
});

const request = (given: Partial<PolicyRequest> = {}): PolicyRequest => ({
  clientId: 'app',
  userId: 'ada',
  groupIds: ['crew'],
  grantType: 'authorization_code',
  scopes: ['openid'],
  ...given,
});

const chosen = (policies: readonly ServerPolicy[], given: Partial<PolicyRequest> = {}): string | null =>
  evaluateServerPolicies(policies, request(given))?.rule.name ?? null;

const people = (given: Partial<ServerRuleConditions['people']>) => ({
  people: { users: NO_ONE, groups: NO_ONE, ...given },
});

describe('a rule', () => {
  test.each<[string, Partial<ServerRuleConditions>, Partial<PolicyRequest>, boolean]>([
    ['of another grant', { grantTypes: { include: ['password'] } }, {}, false],
    ['without grants', { grantTypes: { include: [] } }, {}, false],
    ['of one of the scopes', { scopes: { include: ['openid'] } }, { scopes: ['openid', 'email'] }, false],
    ['of all scopes asked for', { scopes: { include: ['email', 'openid'] } }, { scopes: ['openid', 'email'] }, true],
    ['without scopes', { scopes: { include: [] } }, {}, false],
    ['of a scope by another case', { scopes: { include: ['OpenID'] } }, {}, false],
    ['for nobody', people({}), {}, false],
    ['for the user', people({ users: { include: ['ada'], exclude: [] } }), {}, true],
    ['for a group of the user', people({ groups: { include: ['crew'], exclude: [] } }), {}, true],
    ['for another group', people({ groups: { include: ['other'], exclude: [] } }), {}, false],
    ['for another user and a group', people({ users: { include: ['bob'], exclude: [] }, groups: ALL }), {}, true],
    ['but not for the user', people({ users: { include: ['ada'], exclude: ['ada'] }, groups: ALL }), {}, false],
    ['but not for a group', people({ groups: { include: [EVERYONE], exclude: ['crew'] } }), {}, false],
    [
      'but not for everyone',
      people({ users: { include: ['ada'], exclude: [] }, groups: { include: [], exclude: [EVERYONE] } }),
      {},
      false,
    ],
    [
      'for nobody, asked by a client alone',
      people({}),
      { userId: null, grantType: 'client_credentials', groupIds: [] },
      true,
    ],
  ])('%s', (_, given, asked, holds) => {
    expect(chosen([policy('P', [rule('R', given)])], asked)).toBe(holds ? 'R' : null);
  });
});

describe('policies', () => {
  test('the first rule that holds of the first policy for the client', () => {
    const nobody = people({});
    const policies = [
      policy('other client', [rule('A')], ['another']),
      policy('no rule holds', [rule('B', nobody)], ['app']),
      policy('without rules', []),
      policy('all clients', [rule('C', nobody), rule('D'), rule('E')]),
      policy('never asked', [rule('F')]),
    ];
    expect(evaluateServerPolicies(policies, request())).toEqual({ policy: policies[3], rule: policies[3]?.rules[1] });
    expect(chosen(policies, { clientId: 'another' })).toBe('A');
    expect(chosen(policies.slice(0, 3))).toBeNull();
    expect(chosen([])).toBeNull();
  });
});

const words = (...all: string[]) => fc.uniqueArray(fc.constantFrom(...all));
const choices = (...all: string[]) => fc.record({ include: words(...all), exclude: words(...all) });
const anyConditions: fc.Arbitrary<ServerRuleConditions> = fc.record({
  people: fc.record({ users: choices('ada', 'bob'), groups: choices('crew', 'other', EVERYONE) }),
  grantTypes: fc.record({ include: words('authorization_code', 'password') }),
  scopes: fc.record({ include: words('openid', 'email', ANY_SCOPE) }),
});
const anyPolicies: fc.Arbitrary<ServerPolicy[]> = fc
  .array(fc.tuple(words('app', 'another', 'ALL_CLIENTS'), fc.array(anyConditions, { maxLength: 3 })), { maxLength: 4 })
  .map((given) =>
    given.map(([clients, rules], n) =>
      policy(
        `P${n}`,
        rules.map((one, m) => rule(`R${n}.${m}`, one)),
        clients,
      ),
    ),
  );
const anyRequest: fc.Arbitrary<PolicyRequest> = fc.record({
  clientId: fc.constantFrom('app', 'another', 'third'),
  userId: fc.constantFrom('ada', 'bob', null),
  groupIds: words('crew', 'other'),
  grantType: fc.constantFrom('authorization_code', 'password', 'implicit'),
  scopes: words('openid', 'email', 'phone'),
});

function assertGranted({ conditions: given }: ServerRule, { clients }: ServerPolicy, asked: PolicyRequest): void {
  expect([asked.clientId, 'ALL_CLIENTS'].some((one) => clients.includes(one))).toBe(true);
  expect(given.grantTypes.include).toContain(asked.grantType);
  const unnamed = asked.scopes.filter((scope) => !given.scopes.include.includes(scope));
  expect(unnamed.length === 0 || given.scopes.include.includes(ANY_SCOPE)).toBe(true);
  if (asked.userId === null) return;
  const of = ['u ' + asked.userId, `g ${EVERYONE}`, ...asked.groupIds.map((id) => `g ${id}`)];
  const said = (side: 'include' | 'exclude') => [
    ...given.people.users[side].map((id) => `u ${id}`),
    ...given.people.groups[side].map((id) => `g ${id}`),
  ];
  expect(said('include').some((one) => of.includes(one))).toBe(true);
  expect(said('exclude').some((one) => of.includes(one))).toBe(false);
}

describe('whatever the policies', () => {
  test('who gets tokens is let in by the rule, and a refusal stays one when policies are taken away', () => {
    fc.assert(
      fc.property(anyPolicies, anyRequest, (policies, asked) => {
        const found = evaluateServerPolicies(policies, asked);
        if (found === null) {
          for (const [n] of policies.entries()) {
            expect(evaluateServerPolicies(policies.toSpliced(n, 1), asked)).toBeNull();
          }
          return;
        }
        assertGranted(found.rule, found.policy, asked);
        const before = policies.slice(0, policies.indexOf(found.policy));
        expect(evaluateServerPolicies(before, asked)).toBeNull();
        const rules = found.policy.rules.slice(0, found.policy.rules.indexOf(found.rule));
        expect(evaluateServerPolicies([...before, { ...found.policy, rules }], asked)).toBeNull();
      }),
    );
  });

  test('asking for more scopes never gets by an earlier rule, and never more than a refusal', () => {
    fc.assert(
      fc.property(anyPolicies, anyRequest, (policies, asked) => {
        const more = evaluateServerPolicies(policies, { ...asked, scopes: [...asked.scopes, 'phone', 'address'] });
        const place = (found: typeof more): number =>
          found === null ? Infinity : policies.flatMap(({ rules }) => rules).indexOf(found.rule);
        expect(place(more)).toBeGreaterThanOrEqual(place(evaluateServerPolicies(policies, asked)));
      }),
    );
  });
});
