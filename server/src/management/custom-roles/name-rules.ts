import { invalid } from '../../kernel/errors.ts';

const MAXIMUM_LABEL = 255;
const MAXIMUM_DESCRIPTION = 1_024;

/** Addresses take an id or a label: what looks like an id is none. */
const LOOKS_LIKE_AN_ID = /^(cr0|iam)[0-9A-Za-z]{17}$/;

/** The trimmed label of a role or of a resource set. 400 E0000001. */
export function readLabel(text: string): string {
  const label = text.trim().normalize('NFC');
  if (label === '') throw invalid('label', 'label: The field cannot be left blank');
  if (Array.from(label).length > MAXIMUM_LABEL) {
    throw invalid('label', `label: The field must be at most ${MAXIMUM_LABEL} characters in length`);
  }
  if (LOOKS_LIKE_AN_ID.test(label)) throw invalid('label', 'label: must not look like an id.');
  return label;
}

/** 400 E0000001 when it is blank or too long. */
export function readDescription(text: string): string {
  const description = text.trim().normalize('NFC');
  if (description === '') throw invalid('description', 'description: The field cannot be left blank');
  if (Array.from(description).length > MAXIMUM_DESCRIPTION) {
    throw invalid('description', `description: The field must be at most ${MAXIMUM_DESCRIPTION} characters in length`);
  }
  return description;
}
