import { invalid } from '../../kernel/errors.ts';

const MAXIMUM_NAME_LENGTH = 100;

/** What a name is, for who checks before us: one line. */
export const NAME_PATTERN = `^.{1,${MAXIMUM_NAME_LENGTH}}$`;

const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** The trimmed name. 400 E0000001 when it is blank, too long or more than a line. */
export function readName(text: string): string {
  const name = text.trim().normalize('NFC');
  if (name === '') throw invalid('name', 'name: The field cannot be left blank');
  if (Array.from(name).length > MAXIMUM_NAME_LENGTH) {
    throw invalid('name', `name: The field must be at most ${MAXIMUM_NAME_LENGTH} characters in length`);
  }
  if (CONTROL.test(name)) throw invalid('name', 'name: must not hold control characters.');
  return name;
}
