import { mustBeAtMost, type Sentence } from '../errors/problems.ts';
/** Version of the keys below. It is stored with values made from them, so that a change can be backfilled. */
export const NORMAL_FORM_VERSION = 1;

type NormalForm = 'NFC' | 'NFKC' | 'NFKD';

/** The longest accepted run of marks; no language needs a longer one (UAX 15, Stream-Safe Text Format). */
export const MAXIMUM_MARKS = 30;

/**
 * Matches more marks in a row than a letter may carry. All combining marks count, and two voicing signs that normalise
 * to marks.
 */
const TOO_MANY_MARKS = /[\p{M}\uff9e\uff9f]{31}/u;
const LONG_RUN = /[\p{M}\uff9e\uff9f]{100}/gu;

/** No normal form combines more UTF-16 units than this into one character. */
const UNITS_PER_CHARACTER = 4;

/** Code points: a surrogate pair is one character. */
export const charactersIn = (text: string): number => Array.from(text).length;

type TextRefusal = 'tooLong' | 'tooManyMarks';

/**
 * Returns why a text from outside is not normalised. Its length is checked before any work that costs more than its
 * length.
 */
export function refusalOf(text: string, maximum: number): TextRefusal | null {
  if (text.length > UNITS_PER_CHARACTER * maximum) return 'tooLong';
  return TOO_MANY_MARKS.test(text) ? 'tooManyMarks' : null;
}

/**
 * Normalises a text from outside of at most `maximum` characters; null when it is refused. Marks are put in order one
 * by one, so n marks in a row cost n² steps: no other function may normalise.
 */
export function normalised(text: string, maximum: number, form: NormalForm = 'NFC'): string | null {
  if (refusalOf(text, maximum) !== null) return null;
  const normal = text.normalize(form);
  return charactersIn(normal) > maximum ? null : normal;
}

/**
 * Returns the problem of a text of at most `maximum` characters, as written and in its normal form; null when there is
 * none.
 */
export function problemOfText(text: string, maximum: number): Sentence | null {
  const refusal = refusalOf(text, maximum);
  if (refusal === 'tooManyMarks') return `must have at most ${MAXIMUM_MARKS} combining marks in a row.`;
  const isLong = refusal !== null || charactersIn(text) > maximum || normalised(text, maximum) === null;
  return isLong ? mustBeAtMost(maximum) : null;
}

/**
 * Normalises texts for keys, including texts that were stored before limits existed and texts that are only searched
 * for. A longer row of marks than any text may have is normalised in pieces, so that the cost stays linear.
 */
const linearForm = (text: string, form: NormalForm): string =>
  text.replace(LONG_RUN, '$&\0').normalize(form).replaceAll('\0', '');

/** Normalises to NFKC and folds case. Converting to upper case first also folds the sharp s and the final sigma. */
export const foldCase = (text: string): string =>
  linearForm(linearForm(text, 'NFKC').toUpperCase().toLowerCase(), 'NFKC');

/** Logins that differ only by case, width or diacritics are one login (contract section 4). */
export const loginKey = (login: string): string =>
  linearForm(foldCase(linearForm(login, 'NFKD').replace(/\p{M}+/gu, '')), 'NFKC');

/** Key for case-insensitive comparison of attribute values; diacritics stay significant. */
export const valueKey = (value: string): string => foldCase(value);

/** Key for the comparison of names whose case is significant: two spellings of the same characters are one name. */
export const nameKey = (name: string): string => linearForm(name, 'NFC');
