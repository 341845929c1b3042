import { isAbsent, MAXIMUM_TEXT_LENGTH, readItems, refused } from '../../../kernel/words/members.ts';

/** Text of 1 to 255 characters, or to `maximum`. */
export function readText(place: string, value: unknown, maximum = MAXIMUM_TEXT_LENGTH): string {
  if (isAbsent(value)) throw refused(place, 'The field cannot be left blank');
  if (typeof value !== 'string') throw refused(place, 'must be text.');
  if (value.trim() === '') throw refused(place, 'The field cannot be left blank');
  if (value.length > maximum) throw refused(place, `must be at most ${maximum} characters.`);
  return value;
}

/** Ids or words, each once, in the order given. */
export function readIds(place: string, value: unknown, maximum: number): readonly string[] {
  return [...new Set(readItems(place, value, maximum).map((item) => readText(place, item)))];
}
