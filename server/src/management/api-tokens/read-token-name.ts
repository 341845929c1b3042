import { invalid } from '../../kernel/errors.ts';

const MAXIMUM_LENGTH = 255;

/** The trimmed name. 400 E0000001 when it is blank or too long. */
export function readTokenName(text: string): string {
  const name = text.trim().normalize('NFC');
  if (name === '') throw invalid('name', 'name: The field cannot be left blank');
  if (Array.from(name).length > MAXIMUM_LENGTH) {
    throw invalid('name', `name: The field must be at most ${MAXIMUM_LENGTH} characters in length`);
  }
  return name;
}
