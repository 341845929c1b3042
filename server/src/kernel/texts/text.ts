import { mustBeAtMost, type Sentence } from '../errors/problems.ts';
/** The version of the key functions below. It is stored with login keys, so that old ones can be recomputed. */
export const NORMAL_FORM_VERSION = 1;

type NormalForm = 'NFC' | 'NFKC' | 'NFKD';

/** The maximum number of combining marks in a row. No language needs more (UAX 15, Stream-Safe Text Format). */
export const MAXIMUM_MARKS = 30;

/**
 * A run of marks that is one mark longer than the maximum. The two halfwidth voicing marks also count, because NFKC and
 * NFKD turn them into combining marks.
 */
const TOO_MANY_MARKS = /[\p{M}\uff9e\uff9f]{31}/u;
const LONG_RUN = /[\p{M}\uff9e\uff9f]{100}/gu;

/** The largest number of UTF-16 code units that NFC combines into one character, up to Unicode 15. */
const UNITS_PER_CHARACTER = 4;

/** Counts the code points of a string: a surrogate pair is one character. */
export const charactersIn = (text: string): number => Array.from(text).length;

type TextRefusal = 'tooLong' | 'tooManyMarks';

/** Returns the reason not to normalize a string, or null if there is none. Sorting n marks could take n² steps. */
export function refusalOf(text: string, maximum: number): TextRefusal | null {
  if (text.length > UNITS_PER_CHARACTER * maximum) return 'tooLong';
  return TOO_MANY_MARKS.test(text) ? 'tooManyMarks' : null;
}

/** Normalizes a string. Returns null if `refusalOf` refuses it, or if the result has more than `maximum` characters. */
export function normalised(text: string, maximum: number, form: NormalForm = 'NFC'): string | null {
  if (refusalOf(text, maximum) !== null) return null;
  const normal = text.normalize(form);
  return charactersIn(normal) > maximum ? null : normal;
}

/** Returns why a string is not valid, or null if it is. `maximum` limits its characters both as written and in NFC. */
export function problemOfText(text: string, maximum: number): Sentence | null {
  const refusal = refusalOf(text, maximum);
  if (refusal === 'tooManyMarks') return `must have at most ${MAXIMUM_MARKS} combining marks in a row.`;
  const isLong = refusal !== null || charactersIn(text) > maximum || normalised(text, maximum) === null;
  return isLong ? mustBeAtMost(maximum) : null;
}

/** Normalizes a string of any length for a key. Splits long runs of marks, so that the cost stays linear. */
const linearForm = (text: string, form: NormalForm): string =>
  text.replace(LONG_RUN, '$&\0').normalize(form).replaceAll('\0', '');

/** Normalizes a string to NFKC and folds its case. Upper case comes first, so that sharp s and final sigma fold too. */
export const foldCase = (text: string): string =>
  linearForm(linearForm(text, 'NFKC').toUpperCase().toLowerCase(), 'NFKC');

/** Makes the key of a login. Case, width and diacritics do not count (contract section 4). */
export const loginKey = (login: string): string =>
  linearForm(foldCase(linearForm(login, 'NFKD').replace(/\p{M}+/gu, '')), 'NFKC');

/** Makes the key for a case-insensitive comparison of attribute values. Diacritics stay significant. */
export const valueKey = (value: string): string => foldCase(value);

/** Makes the key of a case-sensitive name. Composed and decomposed spellings of a name have the same key. */
export const nameKey = (name: string): string => linearForm(name, 'NFC');
