import { invalid } from '../../../kernel/errors/errors.ts';
import { BLANK } from '../../../kernel/errors/problems.ts';
import { problemOfLine } from '../../../kernel/texts/written-text.ts';

/** The maximum length of a user's name in an app, in characters (published schema: AppUserCredentials). */
export const MAXIMUM_USER_NAME_LENGTH = 100;

export function readUserName(given: string): string {
  const name = given.trim();
  const problem = name === '' ? BLANK : problemOfLine(name, MAXIMUM_USER_NAME_LENGTH);
  if (problem !== null) throw invalid('credentials.userName', problem);
  return name;
}
