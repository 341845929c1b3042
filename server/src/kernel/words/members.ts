import { type ApiError, invalid } from '../errors/errors.ts';
import { notOneOf, outOfRange, tooMany, wrongType } from '../errors/field-errors.ts';

/** A JSON object whose members are unchecked, such as a part of a body or an imported row. */
export type Members = Readonly<Record<string, unknown>>;

export const MAXIMUM_TEXT_LENGTH = 255;

export const unsupported = (place: string): ApiError => invalid(place, 'is not supported yet.');

/** Tells whether a member is absent. Some clients send absent members as null, so null means the same as undefined. */
export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

/**
 * Reads an object; an absent one becomes an empty one. Unknown members other than null are refused, because ignoring a
 * condition would widen a rule.
 */
export function readMembers(place: string, value: unknown, known: readonly string[]): Members {
  if (isAbsent(value)) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw wrongType(place, 'an object');
  const members: Members = { ...value };
  const other = Object.keys(members).find((name) => !known.includes(name) && !isAbsent(members[name]));
  if (other !== undefined) throw unsupported(`${place}.${other.slice(0, MAXIMUM_TEXT_LENGTH)}`);
  return members;
}

/** Reads a list; an absent one becomes an empty one. */
export function readItems(place: string, value: unknown, maximum: number): readonly unknown[] {
  if (isAbsent(value)) return [];
  if (!Array.isArray(value)) throw wrongType(place, 'an array');
  if (value.length > maximum) throw tooMany(place, maximum);
  return value;
}

/** Reads one of `words`. An absent value becomes `otherwise`, unless that is null. */
export function readChoice<const Word extends string>(
  place: string,
  value: unknown,
  words: readonly Word[],
  otherwise: NoInfer<Word> | null,
): Word {
  const given = isAbsent(value) ? otherwise : value;
  const word = words.find((known) => known === given);
  if (word === undefined) throw notOneOf(place, words);
  return word;
}

export function readFlag(place: string, value: unknown, otherwise: boolean): boolean {
  if (isAbsent(value)) return otherwise;
  if (typeof value !== 'boolean') throw wrongType(place, 'true or false');
  return value;
}

/** Reads a whole number within bounds. An absent value becomes `otherwise`. */
export function readInteger(
  place: string,
  value: unknown,
  bounds: { readonly minimum: number; readonly maximum: number; readonly otherwise: number },
): number {
  if (isAbsent(value)) return bounds.otherwise;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < bounds.minimum || value > bounds.maximum) {
    throw outOfRange(place, bounds.minimum, bounds.maximum);
  }
  return value;
}
