import { readLine, readProse } from '../../../kernel/texts/written-text.ts';

const MAXIMUM_NAME_LENGTH = 255;
const MAXIMUM_DESCRIPTION_LENGTH = 1_024;

/**
 * Reads and trims the name. `stored` is the current name. Throws 400 E0000001 if it is blank, too long or has several
 * lines.
 */
export const readName = (text: string, stored?: string): string => readLine('name', text, MAXIMUM_NAME_LENGTH, stored);

/**
 * Reads the description; null if it is absent or empty. `stored` is the current description. Throws 400 E0000001 if it
 * is too long.
 */
export const readDescription = (text: string | null | undefined, stored?: string | null): string | null =>
  text === undefined || text === null || text === ''
    ? null
    : readProse('description', text, MAXIMUM_DESCRIPTION_LENGTH, stored);
