import { compilePattern, type GroupFact, type Pattern } from '../../expression/index.ts';
import { nameKey } from '../../kernel/texts/text.ts';
import type { ServerClaim } from '../../management/authorization-servers/index.ts';
import { sizedCache } from '../../platform/caches/index.ts';

type FilterType = NonNullable<ServerClaim['groupFilterType']>;

const MAXIMUM_KEPT_SIZE = 25_000;
const patterns = sizedCache<Pattern>(MAXIMUM_KEPT_SIZE, ({ size }) => size);

function patternOf(text: string): Pattern | null {
  const known = patterns.get(text);
  if (known !== undefined) return known;
  const made = compilePattern(text, { isStored: true });
  if (made.ok) patterns.set(text, made.pattern);
  return made.ok ? made.pattern : null;
}

const MATCHES: Readonly<Record<FilterType, (name: string, text: string) => boolean>> = {
  STARTS_WITH: (name, text) => name.startsWith(text),
  EQUALS: (name, text) => name === text,
  CONTAINS: (name, text) => name.includes(text),
  REGEX: (name, text) => patternOf(text)?.matches(name) === true,
};

export const groupNames = (filter: FilterType, text: string, groups: readonly GroupFact[]): readonly string[] =>
  groups.map(({ name }) => name).filter((name) => MATCHES[filter](nameKey(name), nameKey(text)));
