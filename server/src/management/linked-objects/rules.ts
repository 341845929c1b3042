import { invalid } from '../../kernel/errors.ts';

/** One side of a relationship, as clients give it. */
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

/** One side with its texts trimmed and composed. 400 E0000001, a cause for each fault. */
export function readSide(place: 'primary' | 'associated', given: GivenSide): Side {
  const title = given.title.trim().normalize('NFC');
  const description = given.description?.normalize('NFC') ?? null;
  const causes: string[] = [];
  if (!NAME.test(given.name)) {
    causes.push(`${place}.name: A name begins with a letter or _ and has at most 100 letters, digits and _.`);
  }
  if (title === '') causes.push(`${place}.title: The field cannot be left blank`);
  if (Array.from(title).length > MAXIMUM_TITLE_LENGTH) {
    causes.push(`${place}.title: The field must be at most ${MAXIMUM_TITLE_LENGTH} characters in length`);
  }
  if (Array.from(description ?? '').length > MAXIMUM_DESCRIPTION_LENGTH) {
    causes.push(`${place}.description: The field must be at most ${MAXIMUM_DESCRIPTION_LENGTH} characters in length`);
  }
  if (causes.length > 0) throw invalid(place, ...causes);
  return { name: given.name, title, description };
}
