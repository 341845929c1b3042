/** Version of the normal forms below; stored beside the keys made with them, so that a change can be backfilled. */
export const NORMAL_FORM_VERSION = 1;

/** NFKC and case-folded (upper first: it is how JavaScript folds the sharp s and the final sigma alike). */
export const foldCase = (text: string): string => text.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');

/** Logins that differ only by case, width or diacritics are one login (contract section 4). */
export const loginKey = (login: string): string =>
  foldCase(login.normalize('NFKD').replace(/\p{M}+/gu, '')).normalize('NFKC');

/** Key for case-insensitive comparison of attribute values; diacritics stay significant. */
export const valueKey = (value: string): string => foldCase(value);
