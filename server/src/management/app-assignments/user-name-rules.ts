import { invalid } from '../../kernel/errors.ts';

/** Longest name of a user in an app, in characters (published schema: AppUserCredentials). */
export const MAXIMUM_USER_NAME_LENGTH = 100;

/** A name as it was given. 400 E0000001 when it is blank or too long. */
export function readUserName(given: string): string {
  const name = given.trim().normalize('NFC');
  const field = 'credentials.userName';
  if (name === '') throw invalid(field, 'userName: The field cannot be left blank');
  if (Array.from(name).length > MAXIMUM_USER_NAME_LENGTH) {
    throw invalid(field, `userName: The field must be at most ${MAXIMUM_USER_NAME_LENGTH} characters in length`);
  }
  return name;
}
