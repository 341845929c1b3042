import { readLine } from '../../../kernel/texts/written-text.ts';

const MAXIMUM_LENGTH = 255;

/** `stored` is the current name. Throws 400 E0000001 if the name is blank, too long or has several lines. */
export const readTokenName = (text: string, stored?: string): string => readLine('name', text, MAXIMUM_LENGTH, stored);
