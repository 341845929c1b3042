import { invalid } from '../../../kernel/errors/errors.ts';
import { readLine, readProse } from '../../../kernel/texts/written-text.ts';
import { isAbsent } from '../../../kernel/words/members.ts';

const NAME = /^[A-Za-z][A-Za-z\d_]{0,99}$/;
const MAXIMUM_TEXT_LENGTH = 255;
const MAXIMUM_DESCRIPTION_LENGTH = 1_024;

export function readTypeName(name: string): string {
  if (NAME.test(name)) return name;
  throw invalid('name', 'must begin with a letter and have at most 100 letters, digits and _.');
}

/** Accepts the stored name even if it is not valid. */
export const readDisplayName = (text: string, stored?: string): string =>
  readLine('displayName', text, MAXIMUM_TEXT_LENGTH, stored);

/** Returns null for an absent description. Accepts the stored description even if it is not valid. */
export const readDescription = (text: string | null | undefined, stored?: string | null): string | null =>
  isAbsent(text) ? null : readProse('description', text, MAXIMUM_DESCRIPTION_LENGTH, stored);
