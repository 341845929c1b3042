import { RE2JS } from 're2js';
import { boundedCache } from '../../platform/caches/index.ts';

/** In the engine's own measure; with the length below it bounds what one comparison can cost. */
const MAXIMUM_PROGRAM_SIZE = 500;
const MAXIMUM_PATTERN_LENGTH = 500;
/** A longer text matches no pattern. */
const MAXIMUM_SUBJECT_LENGTH = 4_096;

const compiled = boundedCache<string, RE2JS>(2_000);

function compile(pattern: string): RE2JS {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const made = RE2JS.compile(pattern);
  compiled.set(pattern, made);
  return made;
}

/** What is wrong with a pattern of an org; null when values may be compared with it. */
export function problemOfPattern(pattern: string): string | null {
  if (pattern.length > MAXIMUM_PATTERN_LENGTH) return `must have at most ${MAXIMUM_PATTERN_LENGTH} characters.`;
  try {
    return compile(pattern).programSize() > MAXIMUM_PROGRAM_SIZE ? 'is too large.' : null;
  } catch {
    return 'is no regular expression that is understood here (RE2 syntax).';
  }
}

/** Whether a pattern matches the whole of a text. Linear in the text, whoever wrote the pattern. */
export const matchesPattern = (pattern: string, text: string): boolean =>
  text.length <= MAXIMUM_SUBJECT_LENGTH && compile(pattern).testExact(text);
