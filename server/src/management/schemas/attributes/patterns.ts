import { compilePattern, PATTERN_PROBLEMS, type Pattern } from '../../../expression/index.ts';
import type { Problem } from '../../../kernel/errors/problems.ts';
import { sizedCache } from '../../../platform/caches/index.ts';

/** The maximum length, in UTF-16 units, of strings that are matched. A longer string matches no pattern. */
const MAXIMUM_SUBJECT_LENGTH = 4_096;

/** The size limit of the cache. The size of a pattern is its cost in instructions plus the length of its text. */
const MAXIMUM_KEPT_SIZE = 50_000;
const compiled = sizedCache<Pattern>(MAXIMUM_KEPT_SIZE, ({ size }) => size);

/** The cache is not used, because stored patterns in it may exceed the limits for new ones. */
export function problemOfPattern(pattern: string): Problem | null {
  const made = compilePattern(pattern);
  return made.ok ? null : PATTERN_PROBLEMS[made.problem];
}

function storedPattern(text: string): Pattern | null {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const made = compilePattern(text, { isStored: true });
  if (made.ok) compiled.set(text, made.pattern);
  return made.ok ? made.pattern : null;
}

/**
 * Tests whether a stored pattern matches the whole string, in time linear in its length. Returns false for a string
 * that is too long, and for a pattern that does not compile.
 */
export const matchesPattern = (pattern: string, text: string): boolean =>
  text.length <= MAXIMUM_SUBJECT_LENGTH && storedPattern(pattern)?.matches(text) === true;
