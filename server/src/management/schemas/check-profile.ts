import type { ErrorCause } from '../../kernel/errors.ts';
import type { ItemType, ProfileAttribute, ProfileInput, ProfileSchema } from './attribute.ts';
import { isEmailAddress, isFormatted } from './formats.ts';
import { matchesPattern } from './patterns.ts';

/** Each element has its row in the search index. */
export const MAXIMUM_ELEMENTS = 500;

const BLANK = 'The field cannot be left blank';
const UNMATCHED = 'Does not match required pattern';
const NOT_A_CHOICE = 'The value is none of those that are allowed';

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;
const isBlank = (value: unknown): boolean =>
  (typeof value === 'string' && value.trim() === '') || (Array.isArray(value) && value.length === 0);

/** PostgreSQL takes neither NUL nor a lone surrogate into a text. */
const isStorable = (text: string): boolean => !text.includes('\0') && !/\p{Cs}/u.test(text);

function hasType(value: unknown, type: ProfileAttribute['type']): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string' && isStorable(value);
    case 'integer':
      // Beyond these, JSON numbers are no longer told apart.
      return Number.isSafeInteger(value);
    case 'number':
      return Number.isFinite(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'array':
      return Array.isArray(value);
    default:
      return type satisfies never;
  }
}

function lengthProblems(text: string, { maxLength, minLength }: ProfileAttribute): string[] {
  const length = Array.from(text.normalize('NFC')).length;
  if (minLength !== undefined && length < minLength) {
    return [`The field must be at least ${minLength} characters in length`];
  }
  if (maxLength !== undefined && length > maxLength) {
    return [`The field must be at most ${maxLength} characters in length`];
  }
  return [];
}

/** Of base attributes only addresses are held to their format, as clients of this API know it. */
const isHeldToFormat = ({ attributeId, format }: ProfileAttribute): boolean =>
  attributeId !== undefined || format === 'email';

function formProblem(name: string, text: string, definition: ProfileAttribute): string | null {
  const { attributeId, format, pattern } = definition;
  if (pattern !== undefined) return matchesPattern(pattern, text) ? null : UNMATCHED;
  if (name === 'login' && attributeId === undefined) {
    return isEmailAddress(text) ? null : 'Username must be in the form of an email address';
  }
  // An optional address may be emptied.
  if (format === undefined || text === '' || !isHeldToFormat(definition)) return null;
  return isFormatted(text, format) ? null : UNMATCHED;
}

function textProblems(name: string, text: string, definition: ProfileAttribute): string[] {
  const lengths = lengthProblems(text, definition);
  // A text of the wrong length is not told to have the wrong form too.
  const form = lengths.length > 0 ? null : formProblem(name, text, definition);
  return form === null ? lengths : [...lengths, form];
}

function rangeProblems(value: number, { maximum, minimum }: ProfileAttribute): string[] {
  if (minimum !== undefined && value < minimum) return [`The value must be at least ${minimum}`];
  if (maximum !== undefined && value > maximum) return [`The value must be at most ${maximum}`];
  return [];
}

function elementProblem(element: unknown, type: ItemType, choices: readonly unknown[] | undefined): string | null {
  if (!hasType(element, type) || element === '') return 'is not valid';
  return choices === undefined || choices.includes(element) ? null : 'is none of those that are allowed';
}

function arrayProblems(elements: readonly unknown[], { items }: ProfileAttribute): string[] {
  if (elements.length > MAXIMUM_ELEMENTS) return [`At most ${MAXIMUM_ELEMENTS} elements are allowed`];
  return elements.flatMap((element, index) => {
    const problem = elementProblem(element, items?.type ?? 'string', items?.enum);
    return problem === null ? [] : [`The element at position ${index} ${problem}`];
  });
}

/** What is wrong with the value of one attribute: one text per fault, none when it may be stored. */
export function problemsOfValue(name: string, value: unknown, definition: ProfileAttribute): string[] {
  const { enum: choices, required, type } = definition;
  if (isAbsent(value)) return required ? [BLANK] : [];
  if (!hasType(value, type)) return [`The field ${name} is not valid.`];
  if (required && isBlank(value)) return [BLANK];
  if (Array.isArray(value)) return arrayProblems(value, definition);
  const problems =
    typeof value === 'string'
      ? textProblems(name, value, definition)
      : typeof value === 'number'
        ? rangeProblems(value, definition)
        : [];
  if (choices === undefined || choices.some((choice) => choice === value)) return problems;
  return [...problems, NOT_A_CHOICE];
}

/**
 * Causes of refusal of a whole profile, never of a mere change of one: one per fault, unknown names first. None when it
 * may be stored. Pure; reads own members only.
 */
export function checkProfile(schema: ProfileSchema, profile: ProfileInput): ErrorCause[] {
  const causes: ErrorCause[] = Object.keys(profile)
    .filter((name) => !schema.has(name))
    .map((name) => ({ errorSummary: `Property name '${name}' is not defined in profile` }));
  for (const [name, definition] of schema) {
    const value = Object.hasOwn(profile, name) ? profile[name] : undefined;
    const problems = problemsOfValue(name, value, definition);
    causes.push(...problems.map((problem) => ({ errorSummary: `${name}: ${problem}` })));
  }
  return causes;
}
