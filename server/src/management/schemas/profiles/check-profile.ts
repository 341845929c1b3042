import { isDeepStrictEqual } from 'node:util';
import type { ErrorCause } from '../../../kernel/errors/errors.ts';
import { BLANK, mustBeAtMost, mustHaveAtMost, type Problem, type Sentence } from '../../../kernel/errors/problems.ts';
import { charactersIn, nameKey, problemOfText } from '../../../kernel/texts/text.ts';
import { problemOfLine } from '../../../kernel/texts/written-text.ts';
import type { ProfileAttribute, ProfileInput, ProfileSchema } from '../attributes/attribute.ts';
import { type AttributeType, hasType } from '../attributes/attribute-types.ts';
import { isEmailAddress, isFormatted } from '../attributes/formats.ts';
import { matchesPattern } from '../attributes/patterns.ts';

/** The maximum length of a string whose attribute sets no `maxLength`, and of a string in an array. */
const DEFAULT_MAXIMUM_LENGTH = 4_096;
/** The maximum size of a profile that is not already larger. A page of users contains many profiles. */
const MAXIMUM_PROFILE_BYTES = 65_536;

/** An array has at most this many elements, because each element can have a row in the search index. */
export const MAXIMUM_ELEMENTS = 500;

const MAXIMUM_UNKNOWN_NAMES = 50;
const UNMATCHED = 'does not match the required pattern.';
const NOT_A_CHOICE = 'must be one of the allowed values.';

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;
const isBlank = (value: unknown): boolean =>
  (typeof value === 'string' && value.trim() === '') || (Array.isArray(value) && value.length === 0);

/** PostgreSQL accepts neither NUL nor lone surrogates in strings. */
const isStorable = (value: unknown): boolean =>
  typeof value !== 'string' || !(value.includes('\0') || /\p{Cs}/u.test(value));

const mayHold = (value: unknown, type: AttributeType): boolean => hasType(value, type) && isStorable(value);

/** Checks the limits for new strings. Stored strings may be older than these limits. */
function newTextProblem(
  text: string,
  { isLine, maxLength = DEFAULT_MAXIMUM_LENGTH }: ProfileAttribute,
): Problem | null {
  return isLine === true ? problemOfLine(text, maxLength) : problemOfText(text, maxLength);
}

function lengthProblems(text: string, definition: ProfileAttribute, isStored: boolean): Problem[] {
  const { maxLength = Infinity, minLength = 0 } = definition;
  const problem = isStored ? null : newTextProblem(text, definition);
  if (problem !== null) return [problem];
  const length = charactersIn(nameKey(text));
  if (length < minLength) return [`must be at least ${minLength} characters.`];
  return length > maxLength ? [mustBeAtMost(maxLength)] : [];
}

/** Among the formats of base attributes, only `email` is checked, as clients expect. */
const isHeldToFormat = ({ attributeId, format }: ProfileAttribute): boolean =>
  attributeId !== undefined || format === 'email';

function formProblem(name: string, text: string, definition: ProfileAttribute): Problem | null {
  const { attributeId, format, pattern } = definition;
  if (pattern !== undefined) return matchesPattern(pattern, text) ? null : UNMATCHED;
  if (name === 'login' && attributeId === undefined) {
    return isEmailAddress(text) ? null : 'must have the form of an email address.';
  }
  // An empty string satisfies every format, so that an optional value can be cleared.
  if (format === undefined || text === '' || !isHeldToFormat(definition)) return null;
  return isFormatted(text, format) ? null : UNMATCHED;
}

function textProblems(name: string, text: string, definition: ProfileAttribute, isStored: boolean): Problem[] {
  const lengths = lengthProblems(text, definition, isStored);
  // A string of the wrong length gets no second cause for its form.
  const form = lengths.length > 0 ? null : formProblem(name, text, definition);
  return form === null ? lengths : [...lengths, form];
}

function rangeProblems(value: number, { maximum, minimum }: ProfileAttribute): Problem[] {
  if (minimum !== undefined && value < minimum) return [`must be at least ${minimum}.`];
  if (maximum !== undefined && value > maximum) return [`must be at most ${maximum}.`];
  return [];
}

function elementProblem(element: unknown, { items }: ProfileAttribute, isStored: boolean): Sentence | null {
  const choices = items?.enum;
  if (!mayHold(element, items?.type ?? 'string') || element === '') return 'is not valid.';
  const ofText = typeof element === 'string' && !isStored ? problemOfText(element, DEFAULT_MAXIMUM_LENGTH) : null;
  if (ofText !== null) return ofText;
  return choices === undefined || choices.some((choice) => choice === element) ? null : NOT_A_CHOICE;
}

function arrayProblems(elements: readonly unknown[], definition: ProfileAttribute, isStored: boolean): Problem[] {
  if (elements.length > MAXIMUM_ELEMENTS) return [mustHaveAtMost(MAXIMUM_ELEMENTS, 'elements')];
  return elements.flatMap((element, index): Problem[] => {
    const problem = elementProblem(element, definition, isStored);
    return problem === null ? [] : [`The element at position ${index} ${problem}`];
  });
}

/**
 * If `isStored` is true, the general limits on strings do not apply, because the value may be older than these limits.
 */
export function problemsOfValue(
  name: string,
  value: unknown,
  definition: ProfileAttribute,
  isStored = false,
): Problem[] {
  const { enum: choices, required, type } = definition;
  if (isAbsent(value)) return required ? [BLANK] : [];
  if (!mayHold(value, type)) return [`The field ${name} is not valid.`];
  if (required && isBlank(value)) return [BLANK];
  if (Array.isArray(value)) return arrayProblems(value, definition, isStored);
  const problems =
    typeof value === 'string'
      ? textProblems(name, value, definition, isStored)
      : typeof value === 'number'
        ? rangeProblems(value, definition)
        : [];
  if (choices === undefined || choices.some((choice) => choice === value)) return problems;
  return [...problems, NOT_A_CHOICE];
}

const valueIn = (profile: ProfileInput, name: string): unknown =>
  Object.hasOwn(profile, name) ? profile[name] : undefined;

const bytesOf = (profile: ProfileInput): number => Buffer.byteLength(JSON.stringify(profile));

/**
 * A stored profile that is already too large may remain too large, because a caller who changes something else could
 * not shorten it.
 */
export function sizeProblems(profile: ProfileInput, stored: ProfileInput): ErrorCause[] {
  if (bytesOf(profile) <= MAXIMUM_PROFILE_BYTES || bytesOf(stored) > MAXIMUM_PROFILE_BYTES) return [];
  return [{ errorSummary: `profile: must be at most ${MAXIMUM_PROFILE_BYTES} bytes as JSON.` }];
}

/**
 * Returns error causes for the faults in a profile, which must be whole and not a partial change. The general limits on
 * strings do not apply to values that are the same in `stored`, because these values may be older than the limits.
 */
export function checkProfile(schema: ProfileSchema, profile: ProfileInput, stored: ProfileInput = {}): ErrorCause[] {
  const unknown = Object.keys(profile).filter((name) => !schema.has(name));
  const causes: ErrorCause[] = unknown
    .slice(0, MAXIMUM_UNKNOWN_NAMES)
    .map((name) => ({ errorSummary: `Property name '${name}' is not defined in profile` }));
  for (const [name, definition] of schema) {
    const value = valueIn(profile, name);
    const problems = problemsOfValue(name, value, definition, isDeepStrictEqual(value, valueIn(stored, name)));
    causes.push(...problems.map((problem) => ({ errorSummary: `${name}: ${problem}` })));
  }
  return causes.length > 0 ? causes : sizeProblems(profile, stored);
}
