import { foldCase } from '../../../kernel/texts/text.ts';
import type { Pattern, UserIdentifier } from '../conditions/discovery-rules.ts';

export const isDomainSuffix = (suffix: string): boolean => !suffix.includes('@') && !suffix.startsWith('.');

export const domainOf = (login: string): string => login.slice(login.lastIndexOf('@') + 1);

const partsOf = (domain: string): number => domain.split('.').length;

/**
 * Returns a domain and the domains above it, but none with more than `mostParts` parts. For `eu.example.com`, these are
 * `com`, `example.com` and `eu.example.com`. No rule names a longer domain, so a login with a thousand dots costs no
 * more than others.
 */
function* domainsOver(domain: string, mostParts: number): Generator<string> {
  let end = domain.length;
  for (let parts = 0; parts < mostParts; parts += 1) {
    const dot = end === 0 ? -1 : domain.lastIndexOf('.', end - 1);
    yield domain.slice(dot + 1);
    if (dot < 0) return;
    end = dot;
  }
}

/** Returns null if the pattern has to be tried on every login. */
function keyOf({ matchType, value }: Pattern): string | null {
  const folded = foldCase(value);
  if (matchType === 'EQUALS') return `=${folded}`;
  return matchType === 'SUFFIX' && isDomainSuffix(folded) ? `.${folded}` : null;
}

type Identifier = Pick<UserIdentifier, 'attribute' | 'patterns'>;

/** Returns null if the rule has to be tried on every login. */
function keysOf({ attribute, patterns }: Identifier): readonly string[] | null {
  if (attribute !== null || patterns.length === 0) return null;
  const keys = patterns.map(keyOf);
  return keys.every((key) => key !== null) ? keys : null;
}

interface Identified {
  readonly identifier: Identifier;
}

/**
 * Returns a function that finds the first rule that holds for a login. Most rules of an org name domains, so the
 * function tries only the rules that name the login or one of its domains, and those that are not indexed. It finds the
 * same rule as if it tried all rules in order.
 */
export function indexRules<Rule extends Identified>(
  rules: readonly Rule[],
): (foldedLogin: string, holds: (rule: Rule) => boolean) => Rule | undefined {
  const numbersByKey = new Map<string, number[]>();
  const unindexed: number[] = [];
  for (const [number, { identifier }] of rules.entries()) {
    const keys = keysOf(identifier);
    if (keys === null) unindexed.push(number);
    for (const key of new Set(keys ?? [])) numbersByKey.set(key, [...(numbersByKey.get(key) ?? []), number]);
  }
  const domains = [...numbersByKey.keys()].filter((key) => key.startsWith('.'));
  const mostParts = Math.max(0, ...domains.map((key) => partsOf(key.slice(1))));
  const numbersOf = (login: string): number[] => {
    const numbers = new Set(numbersByKey.get(`=${login}`));
    for (const domain of domainsOver(domainOf(login), mostParts)) {
      for (const number of numbersByKey.get(`.${domain}`) ?? []) numbers.add(number);
    }
    return numbers.size === 0 ? unindexed : [...unindexed, ...numbers].sort((one, other) => one - other);
  };
  return (foldedLogin, holds) => {
    for (const number of numbersOf(foldedLogin)) {
      const rule = rules[number];
      if (rule !== undefined && holds(rule)) return rule;
    }
    return undefined;
  };
}
