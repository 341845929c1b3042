import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type IdChoices, NO_CHOICE } from '../conditions/people-rules.ts';
import {
  DEFAULT_PASSWORD_RULE,
  type PasswordRuleActions,
  type ResetRequirement,
} from '../types/password-rule-rules.ts';
import type { PolicyConditions } from '../types/type-rules.ts';
import type { LoadedRule } from './evaluation-rules.ts';
import { compilePassword, type PasswordFacts } from './password-evaluation-rules.ts';
import { DEFAULT_PASSWORD_SETTINGS, type PasswordSettings } from './password-settings-rules.ts';

interface Given {
  readonly policy?: string;
  readonly conditions?: PolicyConditions;
  readonly users?: IdChoices;
  readonly groups?: IdChoices;
  readonly zone?: string;
  readonly actions?: Partial<PasswordRuleActions>;
  readonly settings?: PasswordSettings;
}

const ruleOf = (given: Given): LoadedRule => ({
  policyId: given.policy ?? '00p1',
  policyName: given.policy ?? '00p1',
  ruleId: '0pr1',
  ruleName: 'R',
  policyConditions: given.conditions ?? { groups: NO_CHOICE, authProvider: 'ANY' },
  policySettings: given.settings ?? DEFAULT_PASSWORD_SETTINGS,
  type: 'PASSWORD',
  conditions: {
    people: { users: given.users ?? NO_CHOICE, groups: given.groups ?? NO_CHOICE },
    network:
      given.zone === undefined
        ? DEFAULT_PASSWORD_RULE.conditions.network
        : { connection: 'ZONE', include: [given.zone], exclude: [] },
  },
  actions: { ...DEFAULT_PASSWORD_RULE.actions, ...given.actions },
});

const factsOf = (given: Partial<PasswordFacts> = {}): PasswordFacts => ({
  userId: '00u1',
  groups: new Set(),
  provider: 'INTERNAL',
  ...given,
});

const decided = (rules: readonly Given[], facts: Partial<PasswordFacts> = {}) =>
  compilePassword(rules.map(ruleOf)).decide(factsOf(facts));

describe('who keeps the password', () => {
  test.each([
    ['ANY', 'INTERNAL', true],
    ['ANY', 'LDAP', true],
    ['{WORD}', 'INTERNAL', true],
    ['{WORD}', 'LDAP', false],
    ['LDAP', 'LDAP', true],
    ['LDAP', 'INTERNAL', false],
    ['ACTIVE_DIRECTORY', 'LDAP', false],
  ] as const)('%s of one kept by %s: %s', (authProvider, provider, holds) => {
    const found = decided([{ conditions: { groups: NO_CHOICE, authProvider } }], { provider });
    expect(found !== null).toBe(holds);
  });
});

describe('what users may do', () => {
  const requirement = (given: Partial<ResetRequirement>): Partial<PasswordRuleActions> => ({
    requirement: {
      methods: null,
      constraints: [],
      isQuestionRequired: null,
      namesQuestion: false,
      accessControl: null,
      ...given,
    },
  });
  const recovery = (given: Partial<PasswordSettings['recovery']>): PasswordSettings => ({
    ...DEFAULT_PASSWORD_SETTINGS,
    recovery: { ...DEFAULT_PASSWORD_SETTINGS.recovery, ...given },
  });
  const email = (isActive: boolean) => recovery({ email: { isActive, tokenLifetimeMinutes: 60 } });
  const all = { mayChangePassword: true, mayResetPassword: true, mayUnlock: true, question: 'ifSet' };

  test.each<[Given, object]>([
    [{}, all],
    [{ actions: { passwordChange: 'DENY' } }, { ...all, mayChangePassword: false }],
    [{ actions: { selfServicePasswordReset: 'DENY' } }, { ...all, mayResetPassword: false }],
    [{ actions: { selfServiceUnlock: 'DENY' } }, { ...all, mayUnlock: false }],
    [{ settings: email(false) }, { ...all, mayResetPassword: false, mayUnlock: false }],
    [{ actions: requirement({ methods: ['sms'] }) }, { ...all, mayResetPassword: false }],
    [{ actions: requirement({ methods: ['sms', 'email'] }) }, all],
    [{ actions: requirement({ methods: [] }) }, { ...all, mayResetPassword: false }],
    [{ actions: requirement({ isQuestionRequired: true }) }, { ...all, question: 'required' }],
    [{ actions: requirement({ isQuestionRequired: false }) }, { ...all, question: 'never' }],
    [
      {
        actions: requirement({ isQuestionRequired: true }),
        settings: recovery({ question: { isActive: false, minLength: 4 } }),
      },
      { ...all, question: 'never' },
    ],
  ])('%j', (given, expected) => {
    expect(decided([given])?.selfService([])).toEqual(expected);
  });

  test('is a question of the network, what a password must be is none', () => {
    const [first, second] = [
      { zone: 'a', actions: { passwordChange: 'DENY' } },
      { zone: 'b', actions: { selfServiceUnlock: 'DENY' } },
    ] as const;
    const found = decided([first, second, { policy: '00p2' }]);
    expect(found?.policyId).toBe('00p1');
    expect(found?.selfService(['b', 'a'])).toMatchObject({ mayChangePassword: false, mayUnlock: true });
    expect(found?.selfService(['b'])).toMatchObject({ mayChangePassword: true, mayUnlock: false });
    expect(found?.selfService(['c'])).toEqual({
      mayChangePassword: false,
      mayResetPassword: false,
      mayUnlock: false,
      question: 'ifSet',
    });
  });
});

test('groups are asked for only where something names one', () => {
  expect(compilePassword([ruleOf({})]).asksGroups).toBe(false);
  expect(compilePassword([ruleOf({ users: { include: ['00u1'], exclude: [] } })]).asksGroups).toBe(false);
  expect(compilePassword([ruleOf({ groups: { include: [], exclude: ['a'] } })]).asksGroups).toBe(true);
  const conditions = { groups: { include: ['a'], exclude: [] } };
  expect(compilePassword([ruleOf({ conditions })]).asksGroups).toBe(true);
});

test('rules of other types and policies without settings are passed', () => {
  expect(compilePassword([{ ...ruleOf({}), policySettings: null }]).decide(factsOf())).toBeNull();
  expect(compilePassword([]).decide(factsOf())).toBeNull();
});

function plainly(rules: readonly Given[], { groups, userId }: PasswordFacts): string | null {
  const isOf = ({ exclude, include }: IdChoices): boolean =>
    (include.length === 0 || include.filter((id) => groups.has(id)).length > 0) &&
    exclude.filter((id) => groups.has(id)).length === 0;
  for (const { conditions, groups: own = NO_CHOICE, policy, users = NO_CHOICE } of rules) {
    if (!isOf(conditions?.groups ?? NO_CHOICE) || !isOf(own)) continue;
    if (userId === null && users.include.length > 0) continue;
    if (userId !== null && users.include.length > 0 && !users.include.includes(userId)) continue;
    if (userId !== null && users.exclude.includes(userId)) continue;
    return policy ?? null;
  }
  return null;
}

test('any rules of any policies: the first that is for someone, as said plainly', () => {
  const ids = fc.subarray(['a', 'b', 'c']);
  const choices = fc.record({ include: ids, exclude: ids });
  const policies = ['00p1', '00p2', '00p3'];
  const rule = fc.record({ policy: fc.constantFrom(...policies), users: choices, groups: choices });
  const settings = fc.tuple(choices, choices, choices);
  const facts = fc.record({ userId: fc.constantFrom(null, 'a', 'b', 'd'), groups: ids });
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 8 }), settings, facts, (given, groupsOf, { groups, userId }) => {
      const rules = given
        .toSorted((one, other) => policies.indexOf(one.policy) - policies.indexOf(other.policy))
        .map((one) => ({
          ...one,
          conditions: { groups: groupsOf[policies.indexOf(one.policy)] ?? NO_CHOICE, authProvider: 'ANY' as const },
        }));
      const asked = factsOf({ userId, groups: new Set(groups) });
      expect(compilePassword(rules.map(ruleOf)).decide(asked)?.policyId ?? null).toBe(plainly(rules, asked));
    }),
    { numRuns: 500 },
  );
});
