import { readLine, readProse } from '../../../kernel/texts/written-text.ts';

const MAXIMUM_NAME_LENGTH = 255;
const MAXIMUM_DESCRIPTION_LENGTH = 1_024;

/** Reads the trimmed name; `stored` is the current one. 400 E0000001 when it is blank, too long or more than a line. */
export const readName = (text: string, stored?: string): string => readLine('name', text, MAXIMUM_NAME_LENGTH, stored);

/** Null when it is absent or empty; `stored` is the current description. 400 E0000001 when it is too long. */
export const readDescription = (text: string | null | undefined, stored?: string | null): string | null =>
  text === undefined || text === null || text === ''
    ? null
    : readProse('description', text, MAXIMUM_DESCRIPTION_LENGTH, stored);
