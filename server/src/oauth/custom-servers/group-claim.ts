import { RE2JS } from 're2js';
import type { GroupFact } from '../../expression/index.ts';
import type { ServerClaim } from '../../management/authorization-servers/index.ts';
import { boundedCache } from '../../platform/caches/index.ts';

type FilterType = NonNullable<ServerClaim['groupFilterType']>;

const patterns = boundedCache<string, RE2JS>(500);

function patternOf(text: string): RE2JS {
  const known = patterns.get(text) ?? RE2JS.compile(text);
  patterns.set(text, known);
  return known;
}

const MATCHES: Readonly<Record<FilterType, (name: string, text: string) => boolean>> = {
  STARTS_WITH: (name, text) => name.startsWith(text),
  EQUALS: (name, text) => name === text,
  CONTAINS: (name, text) => name.includes(text),
  REGEX: (name, text) => patternOf(text).matches(name),
};

/** Names of the groups that a claim of groups lets into a token. */
export const groupNames = (filter: FilterType, text: string, groups: readonly GroupFact[]): readonly string[] =>
  groups.map(({ name }) => name).filter((name) => MATCHES[filter](name, text));
