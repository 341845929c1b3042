import { readLine } from '../../../kernel/texts/written-text.ts';

const MAXIMUM_LENGTH = 255;

/** Throws 400 E0000001 if the name is not valid, unless it is the `stored` name. */
export const readTokenName = (text: string, stored?: string): string => readLine('name', text, MAXIMUM_LENGTH, stored);
