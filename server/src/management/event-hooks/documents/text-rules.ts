import { readLine, readProse } from '../../../kernel/texts/written-text.ts';

const MAXIMUM_NAME_LENGTH = 255;
const MAXIMUM_DESCRIPTION_LENGTH = 1_024;

export const readName = (text: string, stored?: string): string => readLine('name', text, MAXIMUM_NAME_LENGTH, stored);

export const readDescription = (text: string | null | undefined, stored?: string | null): string | null =>
  text === undefined || text === null || text === ''
    ? null
    : readProse('description', text, MAXIMUM_DESCRIPTION_LENGTH, stored);
