import { readLine } from '../../../kernel/texts/written-text.ts';

const MAXIMUM_NAME_LENGTH = 100;

export const NAME_PATTERN = `^.{1,${MAXIMUM_NAME_LENGTH}}$`;

export const readName = (text: string, stored?: string): string => readLine('name', text, MAXIMUM_NAME_LENGTH, stored);
