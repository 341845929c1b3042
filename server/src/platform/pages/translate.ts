import { IntlMessageFormat } from 'intl-messageformat';
import { de } from './catalogues/de.ts';
import { type Catalogue, en, type MessageKey } from './catalogues/en.ts';
import { es } from './catalogues/es.ts';
import { fr } from './catalogues/fr.ts';
import { ja } from './catalogues/ja.ts';
import type { Language } from './language.ts';

export const CATALOGUES: Readonly<Record<Language, Catalogue>> = { en, de, fr, es, ja };

export type MessageArguments = Readonly<Record<string, string | number | Date>>;

/** Returns the text of a message in one language. It is plain text and must be escaped where it becomes HTML. */
export type Translate = (key: MessageKey, values?: MessageArguments) => string;

/** Dates and times are shown in UTC, whatever the server's time zone is. */
const FORMATS = {
  date: { medium: { timeZone: 'UTC' } },
  time: { short: { timeZone: 'UTC' } },
} as const;

const parsed = new Map<string, IntlMessageFormat>();

function formatOf(language: Language, key: MessageKey): IntlMessageFormat {
  const name = `${language} ${key}`;
  const known = parsed.get(name);
  if (known !== undefined) return known;
  // Our messages contain no tags, so `<` is an ordinary character.
  const format = new IntlMessageFormat(CATALOGUES[language][key], language, FORMATS, { ignoreTag: true });
  parsed.set(name, format);
  return format;
}

export const translatorOf =
  (language: Language): Translate =>
  (key, values = {}) =>
    String(formatOf(language, key).format(values));

/** Joins the items of a list with the language's separator, without a word such as "and". */
export const listed = (t: Translate, items: readonly string[]): string =>
  items.length === 0 ? '' : items.reduce((list, next) => t('list.next', { list, next }));
