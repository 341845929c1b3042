import { readLine } from '../../../kernel/texts/written-text.ts';

const MAXIMUM_NAME_LENGTH = 100;

/** What a name is, for who checks before us: one line. */
export const NAME_PATTERN = `^.{1,${MAXIMUM_NAME_LENGTH}}$`;

/** The trimmed name, `stored` the one that it has. 400 E0000001 when it is blank, too long or more than a line. */
export const readName = (text: string, stored?: string): string => readLine('name', text, MAXIMUM_NAME_LENGTH, stored);
