import { invalid } from '../../kernel/errors.ts';

const MAXIMUM_NAME_LENGTH = 255;
const MAXIMUM_DESCRIPTION_LENGTH = 1_024;

const charactersIn = (text: string): number => Array.from(text).length;

/** The trimmed name. 400 E0000001 when it is blank or too long. */
export function readName(text: string): string {
  const name = text.trim().normalize('NFC');
  if (name === '') throw invalid('name', 'name: The field cannot be left blank');
  if (charactersIn(name) > MAXIMUM_NAME_LENGTH) {
    throw invalid('name', `name: The field must be at most ${MAXIMUM_NAME_LENGTH} characters in length`);
  }
  return name;
}

/** Null where it is absent or empty. 400 E0000001 when it is too long. */
export function readDescription(text: string | null | undefined): string | null {
  if (text === undefined || text === null || text === '') return null;
  if (charactersIn(text) > MAXIMUM_DESCRIPTION_LENGTH) {
    const cause = `The field must be at most ${MAXIMUM_DESCRIPTION_LENGTH} characters in length`;
    throw invalid('description', `description: ${cause}`);
  }
  return text;
}
