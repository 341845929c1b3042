import { readLine } from '../../../kernel/texts/written-text.ts';

const MAXIMUM_LENGTH = 255;

/** Reads the trimmed name; `stored` is the current one. 400 E0000001 when it is blank, too long or more than a line. */
export const readTokenName = (text: string, stored?: string): string => readLine('name', text, MAXIMUM_LENGTH, stored);
