import { readLine } from '../../../kernel/texts/written-text.ts';

const MAXIMUM_NAME_LENGTH = 100;

/** A name is one line. */
export const NAME_PATTERN = `^.{1,${MAXIMUM_NAME_LENGTH}}$`;

/** Accepts the `stored` name unchanged. Throws 400 E0000001 if another name is blank, too long or not one line. */
export const readName = (text: string, stored?: string): string => readLine('name', text, MAXIMUM_NAME_LENGTH, stored);
