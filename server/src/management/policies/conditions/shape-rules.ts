import { required, tooLong, wrongType } from '../../../kernel/errors/field-errors.ts';
import { isAbsent, MAXIMUM_TEXT_LENGTH, readItems } from '../../../kernel/words/members.ts';

export function readText(place: string, value: unknown, maximum = MAXIMUM_TEXT_LENGTH): string {
  if (isAbsent(value)) throw required(place);
  if (typeof value !== 'string') throw wrongType(place, 'a string');
  if (value.trim() === '') throw required(place);
  if (value.length > maximum) throw tooLong(place, maximum);
  return value;
}

/** Drops duplicates and keeps the order. */
export function readIds(place: string, value: unknown, maximum: number): readonly string[] {
  return [...new Set(readItems(place, value, maximum).map((item) => readText(place, item)))];
}
