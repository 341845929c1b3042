import { invalid } from '../errors/errors.ts';
import { required } from '../errors/field-errors.ts';
import type { Problem } from '../errors/problems.ts';
import { problemOfText } from './text.ts';

/** Matches control characters, and the separators of lines and paragraphs. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** Returns why a text is not a valid line of at most `maximum` characters, or null. */
export const problemOfLine = (text: string, maximum: number): Problem | null =>
  problemOfText(text, maximum) ?? (CONTROL.test(text) ? 'must not contain control characters.' : null);

/**
 * Reads one line without surrounding blanks. Throws 400 E0000001 if the line is not valid and differs from `stored`.
 */
export function readLine(place: string, text: string, maximum: number, stored?: string | null): string {
  const line = text.trim();
  if (line === stored) return line;
  if (line === '') throw required(place);
  const problem = problemOfLine(line, maximum);
  if (problem !== null) throw invalid(place, problem);
  return line;
}

/** Reads a text of any number of lines. Throws 400 E0000001 if the text is not valid and differs from `stored`. */
export function readProse(place: string, text: string, maximum: number, stored?: string | null): string {
  if (text === stored) return text;
  const problem = problemOfText(text, maximum);
  if (problem !== null) throw invalid(place, problem);
  return text;
}
