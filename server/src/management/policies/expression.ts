import { RE2JS } from 're2js';
import { MAXIMUM_TEXT_LENGTH, refused } from '../../kernel/members.ts';
import { boundedCache } from '../../platform/caches/index.ts';

/** In the engine's own measure; with the length below it bounds what one comparison can cost. */
const MAXIMUM_PROGRAM_SIZE = 500;

/** Nothing longer is compared with an expression; no login and no name comes near it. */
const MAXIMUM_SUBJECT_LENGTH = 2 * MAXIMUM_TEXT_LENGTH;

/** Rules are loaded anew every second; their expressions seldom change. */
const compiled = boundedCache<string, RE2JS>(2_000);

function compile(text: string): RE2JS {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const expression = RE2JS.compile(text, RE2JS.CASE_INSENSITIVE);
  compiled.set(text, expression);
  return expression;
}

/** Whether an expression matches the whole of a text, whatever its case. Linear in the text (RE2 syntax). */
export function compileExpression(text: string): (subject: string) => boolean {
  const expression = compile(text);
  return (subject) => subject.length <= MAXIMUM_SUBJECT_LENGTH && expression.testExact(subject);
}

/** 400 E0000001 for what is no regular expression of RE2's syntax, and for one too costly to be asked at sign-in. */
export function checkExpression(place: string, text: string): void {
  let expression: RE2JS;
  try {
    expression = RE2JS.compile(text, RE2JS.CASE_INSENSITIVE);
  } catch {
    throw refused(place, 'This is no regular expression that is understood here (RE2 syntax).');
  }
  if (expression.programSize() > MAXIMUM_PROGRAM_SIZE) throw refused(place, 'The regular expression is too large.');
}
