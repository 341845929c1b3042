import { invalidObject } from '../../kernel/errors/errors.ts';
import { BLANK } from '../../kernel/errors/problems.ts';
import { problemOfText } from '../../kernel/texts/text.ts';
import { problemOfLine } from '../../kernel/texts/written-text.ts';

export interface GivenSide {
  readonly name: string;
  readonly title: string;
  readonly description?: string | null | undefined;
}

export interface Side {
  readonly name: string;
  readonly title: string;
  readonly description: string | null;
}

const NAME = /^[A-Za-z_][A-Za-z\d_]{0,99}$/;
const MAXIMUM_TITLE_LENGTH = 255;
const MAXIMUM_DESCRIPTION_LENGTH = 1_024;

export function readSide(place: 'primary' | 'associated', given: GivenSide): Side {
  const title = given.title.trim();
  const description = given.description ?? null;
  const causes: string[] = [];
  if (!NAME.test(given.name)) {
    causes.push(`${place}.name: must begin with a letter or _ and have at most 100 letters, digits and _.`);
  }
  const ofTitle = title === '' ? BLANK : problemOfLine(title, MAXIMUM_TITLE_LENGTH);
  const ofDescription = problemOfText(description ?? '', MAXIMUM_DESCRIPTION_LENGTH);
  if (ofTitle !== null) causes.push(`${place}.title: ${ofTitle}`);
  if (ofDescription !== null) causes.push(`${place}.description: ${ofDescription}`);
  if (causes.length > 0) throw invalidObject(place, causes);
  return { name: given.name, title, description };
}
