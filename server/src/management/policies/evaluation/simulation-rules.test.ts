import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type IdChoices } from '../conditions/people-rules.ts';
import { DEFAULT_SIGN_ON_ACTIONS, DEFAULT_SIGN_ON_CONDITIONS } from '../conditions/sign-on-rules.ts';
import { compileSignOn, type LoadedRule } from './evaluation-rules.ts';
import { simulate } from './simulation-rules.ts';

const ids = fc.subarray(['a', 'b', 'c']);
const choices: fc.Arbitrary<IdChoices> = fc.record({ include: ids, exclude: ids });
const network = fc.oneof(
  fc.constantFrom('ANYWHERE' as const, 'ON_NETWORK' as const, 'OFF_NETWORK' as const).map((connection) => ({
    connection,
    include: [],
    exclude: [],
  })),
  fc.record({ connection: fc.constant('ZONE' as const), include: ids, exclude: ids }),
);

const loaded: fc.Arbitrary<LoadedRule[]> = fc
  .array(fc.record({ policy: fc.nat({ max: 2 }), users: choices, groups: choices, network }), { maxLength: 8 })
  .chain((rules) =>
    fc.tuple(choices, choices, choices).map((groupsOf) =>
      rules
        .toSorted((one, other) => one.policy - other.policy)
        .map(
          (rule, index): LoadedRule => ({
            policyId: `00p${rule.policy}`,
            policyName: `P${rule.policy}`,
            ruleId: `0pr${index}`,
            ruleName: `R${index}`,
            policyConditions: { groups: groupsOf[rule.policy] ?? { include: [], exclude: [] } },
            policySettings: null,
            type: 'SIGN_ON',
            conditions: {
              ...DEFAULT_SIGN_ON_CONDITIONS,
              users: rule.users,
              groups: rule.groups,
              network: rule.network,
            },
            actions: DEFAULT_SIGN_ON_ACTIONS,
          }),
        ),
    ),
  );
const facts = fc.record({ userId: fc.constantFrom('a', 'b', 'd'), groups: ids, zones: ids });

test('of someone of whom all is said it is what a sign-in would be', () => {
  fc.assert(
    fc.property(loaded, facts, (rules, { groups, userId, zones }) => {
      const given = { userId, zones, groups: new Set(groups), userTypeId: null };
      const { result, status, undefined: open } = simulate(rules, given);
      const decision = compileSignOn(rules).decide(given);
      expect(open).toEqual([]);
      expect(result[0]?.rules[0]?.id ?? null).toBe(decision?.ruleId ?? null);
      expect(status).toBe(decision === null ? 'NOT_MATCH' : 'MATCH');
    }),
    { numRuns: 500 },
  );
});

test('of someone of whom less is said, the rule that decides is the result, or one of those left open', () => {
  fc.assert(
    fc.property(loaded, facts, fc.boolean(), fc.boolean(), (rules, { groups, userId, zones }, withUser, withZones) => {
      const given = { userId, zones, groups: new Set(groups) };
      const decision = compileSignOn(rules).decide(given);
      const { result, undefined: open } = simulate(rules, {
        userId: withUser ? userId : null,
        groups: withUser ? given.groups : null,
        zones: withZones ? zones : null,
        userTypeId: null,
      });
      const possible = [...open, ...result].flatMap((policy) => policy.rules.map(({ id }) => id));
      if (decision !== null) expect(possible).toContain(decision.ruleId);
    }),
    { numRuns: 500 },
  );
});
