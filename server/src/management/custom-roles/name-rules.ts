import { invalid } from '../../kernel/errors/errors.ts';
import { required } from '../../kernel/errors/field-errors.ts';

import { readLine, readProse } from '../../kernel/texts/written-text.ts';

const MAXIMUM_LABEL = 255;
const MAXIMUM_DESCRIPTION = 1_024;

/** Paths contain an id or a label, so a label must not look like an id. */
const LOOKS_LIKE_AN_ID = /^(cr0|iam)[0-9A-Za-z]{17}$/;

export function readLabel(text: string, stored?: string): string {
  const label = readLine('label', text, MAXIMUM_LABEL, stored);
  if (LOOKS_LIKE_AN_ID.test(label)) throw invalid('label', 'must not look like an id.');
  return label;
}

export function readDescription(text: string, stored?: string): string {
  const description = text.trim();
  if (description === '') throw required('description');
  return readProse('description', description, MAXIMUM_DESCRIPTION, stored);
}
