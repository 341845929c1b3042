import { invalid } from '../errors/errors.ts';
import { required } from '../errors/field-errors.ts';
import type { Problem } from '../errors/problems.ts';
import { problemOfText } from './text.ts';

/** A control character, line separator or paragraph separator. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** Returns why a string is not a valid line of at most `maximum` characters, or null if it is one. */
export const problemOfLine = (text: string, maximum: number): Problem | null =>
  problemOfText(text, maximum) ?? (CONTROL.test(text) ? 'must not contain control characters.' : null);

/**
 * Reads one line and trims white space. Throws 400 E0000001 if the line is empty or not valid, unless it equals
 * `stored`.
 */
export function readLine(place: string, text: string, maximum: number, stored?: string | null): string {
  const line = text.trim();
  if (line === stored) return line;
  if (line === '') throw required(place);
  const problem = problemOfLine(line, maximum);
  if (problem !== null) throw invalid(place, problem);
  return line;
}

/** Reads any number of lines. Throws 400 E0000001 if they are not valid, unless they equal `stored`. */
export function readProse(place: string, text: string, maximum: number, stored?: string | null): string {
  if (text === stored) return text;
  const problem = problemOfText(text, maximum);
  if (problem !== null) throw invalid(place, problem);
  return text;
}
