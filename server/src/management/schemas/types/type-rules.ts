import { readLine, readProse } from '../../../kernel/texts/written-text.ts';
import { isAbsent, refused } from '../../../kernel/words/members.ts';

const NAME = /^[A-Za-z][A-Za-z\d_]{0,99}$/;
const MAXIMUM_TEXT_LENGTH = 255;
const MAXIMUM_DESCRIPTION_LENGTH = 1_024;

/** The name of a user type: it is for life, and what expressions call it. 400 E0000001. */
export function readTypeName(name: string): string {
  if (NAME.test(name)) return name;
  throw refused('name', 'A name begins with a letter and has at most 100 letters, digits and _.');
}

/** The trimmed name for people, `stored` the one that the type has. 400 E0000001. */
export const readDisplayName = (text: string, stored?: string): string =>
  readLine('displayName', text, MAXIMUM_TEXT_LENGTH, stored);

/** `stored` is the one that the type has. 400 E0000001 when it is too long. */
export const readDescription = (text: string | null | undefined, stored?: string | null): string | null =>
  isAbsent(text) ? null : readProse('description', text, MAXIMUM_DESCRIPTION_LENGTH, stored);
