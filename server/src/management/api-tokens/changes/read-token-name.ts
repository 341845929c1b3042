import { readLine } from '../../../kernel/texts/written-text.ts';

const MAXIMUM_LENGTH = 255;

/** Accepts the `stored` name unchanged. Throws 400 E0000001 if another name is blank, too long or not one line. */
export const readTokenName = (text: string, stored?: string): string => readLine('name', text, MAXIMUM_LENGTH, stored);
