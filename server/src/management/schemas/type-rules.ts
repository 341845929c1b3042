import { type ApiError, invalid } from '../../kernel/errors.ts';

const NAME = /^[A-Za-z][A-Za-z\d_]{0,99}$/;
const MAXIMUM_TEXT_LENGTH = 255;
const MAXIMUM_DESCRIPTION_LENGTH = 1_024;

const refused = (field: string, cause: string): ApiError => invalid(field, `${field}: ${cause}`);

/** The name of a user type: it is for life, and what expressions call it. 400 E0000001. */
export function readTypeName(name: string): string {
  if (NAME.test(name)) return name;
  throw refused('name', 'A name begins with a letter and has at most 100 letters, digits and _.');
}

/** The trimmed name for people. 400 E0000001 when it is blank or too long. */
export function readDisplayName(text: string): string {
  const name = text.trim().normalize('NFC');
  if (name === '') throw refused('displayName', 'The field cannot be left blank');
  if (Array.from(name).length <= MAXIMUM_TEXT_LENGTH) return name;
  throw refused('displayName', `The field must be at most ${MAXIMUM_TEXT_LENGTH} characters in length`);
}

/** 400 E0000001 when it is too long. */
export function readDescription(text: string | null | undefined): string | null {
  if (text === undefined || text === null) return null;
  const description = text.normalize('NFC');
  if (Array.from(description).length <= MAXIMUM_DESCRIPTION_LENGTH) return description;
  throw refused('description', `The field must be at most ${MAXIMUM_DESCRIPTION_LENGTH} characters in length`);
}
