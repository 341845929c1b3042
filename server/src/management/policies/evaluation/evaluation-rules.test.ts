import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  DEFAULT_DISCOVERY_ACTIONS,
  DEFAULT_DISCOVERY_CONDITIONS,
  type DiscoveryActions,
  type DiscoveryConditions,
  type Pattern,
} from '../conditions/discovery-rules.ts';
import { compileExpression } from '../conditions/expression.ts';
import {
  DEFAULT_SIGN_ON_ACTIONS,
  DEFAULT_SIGN_ON_CONDITIONS,
  type SignOnActions,
  type SignOnConditions,
} from '../conditions/sign-on-rules.ts';
import {
  compileRouting,
  compileSignOn,
  type LoadedRule,
  type ProviderFacts,
  type RoutingFacts,
  type SignOnFacts,
} from './evaluation-rules.ts';

const names = (rule: string) => ({
  policyId: '00p1',
  policyName: 'P',
  ruleId: rule,
  ruleName: rule,
  policyConditions: null,
  policySettings: null,
});

const signOnRule = (
  name: string,
  conditions: Partial<SignOnConditions> = {},
  actions: Partial<SignOnActions> = {},
): LoadedRule => ({
  ...names(name),
  type: 'SIGN_ON',
  conditions: { ...DEFAULT_SIGN_ON_CONDITIONS, ...conditions },
  actions: { ...DEFAULT_SIGN_ON_ACTIONS, ...actions },
});

const routingRule = (
  name: string,
  conditions: Partial<DiscoveryConditions> = {},
  actions: DiscoveryActions = DEFAULT_DISCOVERY_ACTIONS,
): LoadedRule => ({
  ...names(name),
  type: 'IDP_DISCOVERY',
  conditions: { ...DEFAULT_DISCOVERY_CONDITIONS, ...conditions },
  actions,
});

const patterns = (...list: readonly Pattern[]): Partial<DiscoveryConditions> => ({
  userIdentifier: { type: 'IDENTIFIER', attribute: null, patterns: list },
});

const facts = (given: Partial<RoutingFacts> = {}): RoutingFacts =>
  ({
    login: 'ada@example.com',
    zones: [],
    appId: null,
    platform: { type: 'Computer', os: 'Windows 10' },
    attribute: () => undefined,
    ...given,
  }) as RoutingFacts;

const routed = (rules: readonly LoadedRule[], given: Partial<RoutingFacts> = {}, providers: ProviderFacts[] = []) =>
  compileRouting([...rules, routingRule('default')], providers, compileExpression)(facts(given))?.ruleName;

const NOBODY_SPECIAL: SignOnFacts = { userId: '00u1', zones: [], groups: new Set() };

const signedOn = (rules: readonly LoadedRule[], given: Partial<SignOnFacts> = {}) =>
  compileSignOn([...rules, signOnRule('default')]).decide({ ...NOBODY_SPECIAL, ...given })?.ruleName;

describe('sign-on', () => {
  test('answers the rule, its policy, the limits and the zones', () => {
    const rule = signOnRule('R', {}, { access: 'DENY', idleMinutes: 5, lifetimeMinutes: 6, usePersistentCookie: true });
    expect(compileSignOn([rule]).decide({ ...NOBODY_SPECIAL, zones: ['nzo1'] })).toEqual({
      policyId: '00p1',
      policyName: 'P',
      ruleId: 'R',
      ruleName: 'R',
      access: 'DENY',
      idleMinutes: 5,
      lifetimeMinutes: 6,
      usePersistentCookie: true,
      zones: ['nzo1'],
    });
  });

  test('the first that matches decides; none is null', () => {
    expect(signedOn([signOnRule('first'), signOnRule('second')])).toBe('first');
    expect(compileSignOn([]).decide(NOBODY_SPECIAL)).toBeNull();
    expect(compileSignOn([routingRule('other type')]).decide(NOBODY_SPECIAL)).toBeNull();
  });

  test.each([
    [[], [], true],
    [['00u1'], [], true],
    [['00u2'], [], false],
    [[], ['00u1'], false],
    [[], ['00u2'], true],
    [['00u1'], ['00u1'], false],
  ])('users %j without %j', (include, exclude, holds) => {
    expect(signedOn([signOnRule('R', { users: { include, exclude } })])).toBe(holds ? 'R' : 'default');
  });

  test.each([
    [[], [], [], true],
    [['a'], [], [], false],
    [['a'], [], ['a', 'b'], true],
    [['a', 'b'], [], ['b'], true],
    [[], ['a'], ['b'], true],
    [[], ['a'], ['a'], false],
    [['a'], ['b'], ['a', 'b'], false],
  ])('groups %j without %j, of somebody in %j, in the rule and in the policy', (include, exclude, member, holds) => {
    const groups = { include, exclude };
    const given = { groups: new Set(member) };
    expect(signedOn([signOnRule('R', { groups })], given)).toBe(holds ? 'R' : 'default');
    expect(signedOn([{ ...signOnRule('R'), policyConditions: { groups } }], given)).toBe(holds ? 'R' : 'default');
  });

  test('groups are asked for only where something names one', () => {
    const groups = { include: [], exclude: ['00g1'] };
    expect(compileSignOn([signOnRule('R')]).asksGroups).toBe(false);
    expect(compileSignOn([signOnRule('R'), signOnRule('S', { groups })]).asksGroups).toBe(true);
    expect(compileSignOn([{ ...signOnRule('R'), policyConditions: { groups } }]).asksGroups).toBe(true);
  });

  test.each([
    ['ANYWHERE', [], [], [], true],
    ['ANYWHERE', [], [], ['a'], true],
    ['ON_NETWORK', [], [], [], false],
    ['ON_NETWORK', [], [], ['a'], true],
    ['OFF_NETWORK', [], [], [], true],
    ['OFF_NETWORK', [], [], ['a'], false],
    ['ZONE', ['a'], [], [], false],
    ['ZONE', ['a'], [], ['a'], true],
    ['ZONE', ['a'], [], ['b'], false],
    ['ZONE', ['a', 'b'], [], ['c', 'b'], true],
    ['ZONE', [], ['a'], [], true],
    ['ZONE', [], ['a'], ['a'], false],
    ['ZONE', [], ['a'], ['b'], true],
    ['ZONE', ['b'], ['a'], ['a', 'b'], false],
    ['ZONE', ['ALL_ZONES'], [], [], false],
    ['ZONE', ['ALL_ZONES'], [], ['x'], true],
    ['ZONE', [], ['ALL_ZONES'], [], true],
    ['ZONE', [], ['ALL_ZONES'], ['x'], false],
  ] as const)('network %s, in %j, not in %j, from %j: %s', (connection, include, exclude, zones, holds) => {
    const network = { connection, include, exclude };
    expect(signedOn([signOnRule('R', { network })], { zones })).toBe(holds ? 'R' : 'default');
    expect(routed([routingRule('R', { network })], { zones })).toBe(holds ? 'R' : 'default');
  });
});

describe('apps and platforms', () => {
  const app = { appId: '0oa1', appName: 'oidc_client' } as const;
  const byId = { type: 'APP', id: '0oa1' } as const;
  const byName = { type: 'APP_TYPE', name: 'oidc_client' } as const;

  test.each([
    [[byId], [], app, true],
    [[byName], [], app, true],
    [[{ type: 'APP', id: '0oa2' }], [], app, false],
    [[byId], [], { appId: null }, false],
    [[], [], { appId: null }, true],
    [[], [byId], app, false],
    [[], [byName], app, false],
    [[], [byId], { appId: null }, true],
    [[byName], [byId], app, false],
  ] as const)('apps %j without %j, to %j: %s', (include, exclude, given, holds) => {
    const rule = routingRule('R', { app: { include, exclude } });
    expect(routed([rule], given)).toBe(holds ? 'R' : 'default');
  });

  const mobile = { type: 'MOBILE', os: 'ANY' } as const;
  const windows = { type: 'DESKTOP', os: 'WINDOWS' } as const;
  const unknown = { type: 'Unknown', os: 'Unknown' };
  test.each([
    [[mobile], [], { type: 'Mobile', os: 'iOS' }, true],
    [[mobile], [], { type: 'Tablet', os: 'Android' }, true],
    [[mobile], [], { type: 'Computer', os: 'Mac OS X' }, false],
    [[windows], [], { type: 'Computer', os: 'Windows 11' }, true],
    [[windows], [], { type: 'Computer', os: 'Mac OS X' }, false],
    [[{ type: 'ANY', os: 'OSX' }], [], { type: 'Computer', os: 'Mac OS X' }, true],
    [[{ type: 'ANY', os: 'LINUX' }], [], { type: 'Computer', os: 'Ubuntu' }, true],
    [[{ type: 'ANY', os: 'CHROMEOS' }], [], { type: 'Computer', os: 'Chrome OS' }, true],
    [[{ type: 'ANY', os: 'OTHER' }], [], { type: 'Computer', os: 'Haiku' }, true],
    [[{ type: 'OTHER', os: 'ANY' }], [], { type: 'smarttv', os: 'Tizen' }, true],
    [[], [mobile], { type: 'Mobile', os: 'iOS' }, false],
    [[], [windows], { type: 'Computer', os: 'Mac OS X' }, true],
    // Unknown facts do not exclude anybody from a rule.
    [[mobile], [], unknown, true],
    [[windows], [], unknown, true],
    [[windows], [], { type: 'Unknown', os: 'Mac OS X' }, false],
    [[windows], [], { type: 'Computer', os: 'Unknown' }, true],
    [[], [mobile], unknown, true],
    [[], [windows], { type: 'Computer', os: 'Unknown' }, true],
  ] as const)('platforms %j without %j, on %j: %s', (include, exclude, platform, holds) => {
    const rule = routingRule('R', { platform: { include, exclude } });
    expect(routed([rule], { platform })).toBe(holds ? 'R' : 'default');
  });

  test('a client that says nothing of itself is in every rule about platforms', () => {
    const choice = fc.record({
      type: fc.constantFrom('ANY', 'MOBILE', 'DESKTOP', 'OTHER'),
      os: fc.constantFrom('ANY', 'IOS', 'ANDROID', 'WINDOWS', 'OSX', 'LINUX', 'CHROMEOS', 'OTHER'),
    } as const);
    fc.assert(
      fc.property(fc.array(choice), (include) => {
        const rule = routingRule('R', { platform: { include, exclude: [] } });
        expect(routed([rule], { platform: unknown })).toBe('R');
      }),
    );
  });
});

describe('providers', () => {
  const provider = (id: string, status: string): ProviderFacts => ({ id, type: 'SAML2', name: `N ${id}`, status });
  const to = (...ids: readonly (string | null)[]) =>
    routingRule('R', {}, { providers: ids.map((id) => ({ id, type: null })) });

  test('an inactive one is left out, and a rule with no other is skipped', () => {
    const providers = [provider('a', 'ACTIVE'), provider('b', 'INACTIVE')];
    const decide = (rule: LoadedRule) =>
      compileRouting([rule, routingRule('default')], providers, compileExpression)(facts());
    expect(decide(to('b', 'a', null))?.providers).toEqual([
      { id: 'a', type: 'SAML2', name: 'N a' },
      { id: null, type: 'INTERNAL', name: 'INTERNAL' },
    ]);
    expect(decide(to('b'))?.ruleName).toBe('default');
    expect(decide(to('gone'))?.ruleName).toBe('default');
    expect(decide(to('b', null))).toMatchObject({ ruleName: 'R', providers: [{ id: null }] });
  });

  test('without a rule there is no decision', () => {
    expect(compileRouting([], [], compileExpression)(facts())).toBeNull();
    expect(compileRouting([signOnRule('other type')], [], compileExpression)(facts())).toBeNull();
  });
});

test('a hundred rules, the last of which matches, take microseconds', () => {
  const rules = Array.from({ length: 100 }, (_, n) =>
    routingRule(`R${n}`, patterns({ matchType: 'SUFFIX', value: `org${n}.example` })),
  );
  const decide = compileRouting([...rules, routingRule('default')], [], compileExpression);
  const given = facts({ login: 'ada@org99.example' });
  for (let warm = 0; warm < 2_000; warm += 1) decide(given);
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 50; run += 1) {
    const started = performance.now();
    for (let count = 0; count < 20; count += 1) expect(decide(given)?.ruleName === 'R99').toBe(true);
    best = Math.min(best, (performance.now() - started) / 20);
  }
  expect(best).toBeLessThan(0.2);
});
