import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  DEFAULT_DISCOVERY_ACTIONS,
  DEFAULT_DISCOVERY_CONDITIONS,
  MATCH_TYPES,
  type Pattern,
  type UserIdentifier,
} from './conditions/discovery-rules.ts';
import { compileExpression } from './conditions/expression.ts';
import { compileRouting, type LoadedRule } from './evaluation/evaluation-rules.ts';

const routingRule = (name: string, userIdentifier: UserIdentifier): LoadedRule => ({
  policyId: '00p1',
  policyName: 'P',
  ruleId: name,
  ruleName: name,
  policyConditions: null,
  policySettings: null,
  type: 'IDP_DISCOVERY',
  conditions: { ...DEFAULT_DISCOVERY_CONDITIONS, userIdentifier },
  actions: DEFAULT_DISCOVERY_ACTIONS,
});

const patterns = (...list: readonly Pattern[]): UserIdentifier => ({
  type: 'IDENTIFIER',
  attribute: null,
  patterns: list,
});

interface Given {
  readonly login?: string;
  readonly attribute?: (name: string) => string | undefined;
}

const routed = (rules: readonly LoadedRule[], given: Given = {}) =>
  compileRouting(
    [...rules, routingRule('default', patterns())],
    [],
    compileExpression,
  )({
    login: 'ada@example.com',
    zones: [],
    appId: null,
    platform: { type: 'Unknown', os: 'Unknown' },
    attribute: () => undefined,
    ...given,
  })?.ruleName;

describe('patterns', () => {
  test.each([
    ['SUFFIX', 'example.com', 'a@example.com', true],
    ['SUFFIX', 'example.com', 'a@eu.example.com', true],
    ['SUFFIX', 'example.com', 'a@EU.Example.COM', true],
    ['SUFFIX', 'Example.Com', 'a@example.com', true],
    ['SUFFIX', 'example.com', 'a@badexample.com', false],
    ['SUFFIX', 'example.com', 'a@example.com.evil.net', false],
    ['SUFFIX', 'example.com', 'example.com@evil.net', false],
    ['SUFFIX', 'example.com', 'x.example.com@evil.net', false],
    ['SUFFIX', 'example.com', 'a@b@example.com', true],
    ['SUFFIX', 'example.com', 'ada', false],
    ['SUFFIX', 'com', 'a@example.com', true],
    ['SUFFIX', 'ple.com', 'a@example.com', false],
    ['SUFFIX', '@example.com', 'a@example.com', true],
    ['SUFFIX', '@example.com', 'a@eu.example.com', false],
    ['SUFFIX', '.example.com', 'a@eu.example.com', true],
    ['SUFFIX', '.example.com', 'a@example.com', false],
    ['EQUALS', 'Ada@Example.com', 'ada@example.COM', true],
    ['EQUALS', 'ada@example.com', 'ada@example.com2', false],
    ['CONTAINS', 'ADMIN', 'the-admin@example.com', true],
    ['CONTAINS', 'admin', 'ada@example.com', false],
    ['STARTS_WITH', 'Ext-', 'ext-bob@example.com', true],
    ['STARTS_WITH', 'ext-', 'bob.ext-@example.com', false],
    ['EXPRESSION', '.*@(eu|us)\\.example\\.com', 'A@EU.example.com', true],
    ['EXPRESSION', '.*@(EU|US)\\.example\\.com', 'a@eu.example.com', true],
    ['EXPRESSION', 'example', 'a@example.com', false],
    ['EXPRESSION', '(a+)+b', 'a'.repeat(400), false],
    ['EXPRESSION', '.*', 'a'.repeat(5_000), false],
    ['EQUALS', 'stra\u00DFe', 'STRASSE', true],
    ['EQUALS', '\uFF41da', 'ADA', true],
  ] as const)('%s %s of %s: %s', (matchType, value, login, holds) => {
    expect(routed([routingRule('R', patterns({ matchType, value }))], { login })).toBe(holds ? 'R' : 'default');
  });

  test('one of several is enough', () => {
    const rule = routingRule('R', patterns({ matchType: 'EQUALS', value: 'x' }, { matchType: 'EQUALS', value: 'y' }));
    expect(routed([rule], { login: 'Y' })).toBe('R');
    expect(routed([rule], { login: 'z' })).toBe('default');
  });

  test('an attribute is matched instead of the login, and an absent one matches nothing', () => {
    const userIdentifier = {
      type: 'ATTRIBUTE',
      attribute: 'department',
      patterns: [{ matchType: 'CONTAINS', value: 'a' }],
    } as const;
    const rule = routingRule('R', userIdentifier);
    const attribute = (name: string) => (name === 'department' ? 'SALES' : undefined);
    expect(routed([rule], { attribute })).toBe('R');
    expect(routed([rule], { attribute: () => 'x' })).toBe('default');
    expect(routed([rule])).toBe('default');
  });

  test('case never matters', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'B', '.', '@', 'x', 'É', 'ß', 'i'),
      minLength: 1,
      maxLength: 8,
    });
    const simple = MATCH_TYPES.filter((type) => type !== 'EXPRESSION');
    fc.assert(
      fc.property(fc.constantFrom(...simple), text, text, (matchType, value, login) => {
        const of = (pattern: string, given: string) =>
          routed([routingRule('R', patterns({ matchType, value: pattern }))], { login: given });
        expect(of(value.toUpperCase(), login)).toBe(of(value, login));
        expect(of(value, login.toUpperCase())).toBe(of(value, login));
      }),
    );
  });

  test('a suffix without @ never ends inside a label', () => {
    const label = fc.stringMatching(/^[a-z0-9-]{1,8}$/);
    fc.assert(
      fc.property(label, label, label, (local, front, domain) => {
        const rule = routingRule('R', patterns({ matchType: 'SUFFIX', value: `${domain}.test` }));
        expect(routed([rule], { login: `${local}@${domain}.test` })).toBe('R');
        expect(routed([rule], { login: `${local}@${front}.${domain}.test` })).toBe('R');
        expect(routed([rule], { login: `${local}@${front}${domain}.test` })).toBe('default');
      }),
    );
  });
});
