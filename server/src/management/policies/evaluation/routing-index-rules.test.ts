import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Pattern } from '../conditions/discovery-rules.ts';
import { domainOf, indexRules, isDomainSuffix } from './routing-index-rules.ts';

const MATCHES: Readonly<Record<string, (login: string, value: string) => boolean>> = {
  EQUALS: (login, value) => login === value,
  CONTAINS: (login, value) => login.includes(value),
  STARTS_WITH: (login, value) => login.startsWith(value),
  SUFFIX: (login, value) =>
    isDomainSuffix(value) ? domainOf(login) === value || domainOf(login).endsWith(`.${value}`) : login.endsWith(value),
};

const part = fc.constantFrom('a', 'b', 'eu', 'example', 'com', '');
const domain = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.'));
const login = fc
  .tuple(fc.constantFrom('', 'a', 'ada', 'a@b'), fc.constantFrom('', '@'), domain)
  .map((all) => all.join(''));
const value = fc.oneof(
  domain,
  login,
  domain.map((text) => `@${text}`),
  domain.map((text) => `.${text}`),
);
const pattern: fc.Arbitrary<Pattern> = fc.record({
  matchType: fc.constantFrom('EQUALS', 'CONTAINS', 'STARTS_WITH', 'SUFFIX'),
  value,
});
const rule = fc.record({
  identifier: fc.record({
    attribute: fc.constantFrom(null, null, null, 'email'),
    patterns: fc.array(pattern, { maxLength: 3 }),
  }),
  isOpen: fc.boolean(),
});

test('the first rule that holds is found, as by trying all of them in order', () => {
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 12 }), login, (rules, text) => {
      const holds = ({ identifier, isOpen }: (typeof rules)[number]): boolean => {
        const { attribute, patterns } = identifier;
        const isMatch = attribute !== null || patterns.length === 0;
        return isOpen && (isMatch || patterns.some((one) => MATCHES[one.matchType]?.(text, one.value) === true));
      };
      expect(indexRules(rules)(text, holds)).toBe(rules.find(holds));
    }),
    { numRuns: 2_000 },
  );
});

test('rules of other domains are not tried', () => {
  const rules = Array.from({ length: 100 }, (_, number) => ({
    identifier: { attribute: null, patterns: [{ matchType: 'SUFFIX' as const, value: `domain${number}.example` }] },
    number,
  }));
  const tried: number[] = [];
  const found = indexRules(rules)('ada@eu.domain99.example', ({ number }) => {
    tried.push(number);
    return true;
  });
  expect([found?.number, tried]).toEqual([99, [99]]);
});
