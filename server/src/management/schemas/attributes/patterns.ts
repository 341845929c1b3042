import { compilePattern, PATTERN_PROBLEMS, type Pattern } from '../../../expression/index.ts';
import type { Problem } from '../../../kernel/errors/problems.ts';
import { sizedCache } from '../../../platform/caches/index.ts';

/** A text that is longer than this matches no pattern. */
const MAXIMUM_SUBJECT_LENGTH = 4_096;

/** The size limit of the cache, in instructions and characters. */
const MAXIMUM_KEPT_SIZE = 50_000;
const compiled = sizedCache<Pattern>(MAXIMUM_KEPT_SIZE, ({ size }) => size);

/**
 * Describes the fault in a pattern that an org wants to store. Returns null if the pattern is valid. Does not use the
 * cache, because it may contain stored patterns that exceed the limits.
 */
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

/** Tests whether a pattern matches the whole text, in time linear in the length of the text. */
export const matchesPattern = (pattern: string, text: string): boolean =>
  text.length <= MAXIMUM_SUBJECT_LENGTH && storedPattern(pattern)?.matches(text) === true;
