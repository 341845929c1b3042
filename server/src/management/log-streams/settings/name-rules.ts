import { readLine } from '../../../kernel/texts/written-text.ts';

const MAXIMUM_NAME_LENGTH = 100;

/** The pattern of names in the published schema: one line. */
export const NAME_PATTERN = `^.{1,${MAXIMUM_NAME_LENGTH}}$`;

/**
 * Reads the trimmed name; `stored` is the current one. 400 E0000001 when it is blank or too long, or has several lines.
 */
export const readName = (text: string, stored?: string): string => readLine('name', text, MAXIMUM_NAME_LENGTH, stored);
