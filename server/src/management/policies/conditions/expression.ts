import { compilePattern, type Pattern, type PatternProblem } from '../../../expression/index.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import type { Problem } from '../../../kernel/errors/problems.ts';
import { MAXIMUM_TEXT_LENGTH } from '../../../kernel/words/members.ts';
import { sizedCache } from '../../../platform/caches/index.ts';

/** Longer subjects never match, which limits the cost of matching. */
const MAXIMUM_SUBJECT_LENGTH = 2 * MAXIMUM_TEXT_LENGTH;

/** The maximum total of the instructions and the characters of all cached patterns. */
const MAXIMUM_KEPT_SIZE = 50_000;
const compiled = sizedCache<Pattern>(MAXIMUM_KEPT_SIZE, ({ size }) => size);

const PROBLEMS: Readonly<Record<PatternProblem, Problem>> = {
  length: 'is too long a regular expression.',
  size: 'is too complex a regular expression.',
  syntax: 'must be a regular expression in RE2 syntax.',
};

function storedPattern(text: string): Pattern | null {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const made = compilePattern(text, { ignoresCase: true, isStored: true });
  if (made.ok) compiled.set(text, made.pattern);
  return made.ok ? made.pattern : null;
}

/**
 * Returns a function that matches a whole subject in linear time and ignores case. An invalid expression matches
 * nothing.
 */
export function compileExpression(text: string): (subject: string) => boolean {
  const pattern = storedPattern(text);
  return (subject) => subject.length <= MAXIMUM_SUBJECT_LENGTH && pattern?.matches(subject) === true;
}

export function checkExpression(place: string, text: string): void {
  const made = compilePattern(text, { ignoresCase: true });
  if (!made.ok) throw invalid(place, PROBLEMS[made.problem]);
}
