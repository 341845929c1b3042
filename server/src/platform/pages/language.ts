/** The languages of pages and emails, each with its name in the language itself. English is the default. */
export const LANGUAGES = { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español', ja: '日本語' } as const;
export type Language = keyof typeof LANGUAGES;

export const isLanguage = (text: string): text is Language => Object.hasOwn(LANGUAGES, text);

const MAXIMUM_RANGES = 20;

/** Returns the language of a tag (RFC 5646): `de` for `de-AT` and `de_AT`. */
function languageOfTag(tag: string): Language | null {
  const primary = tag.trim().split(/[-_]/, 1)[0]?.toLowerCase() ?? '';
  return isLanguage(primary) ? primary : null;
}

const firstOf = (tags: readonly string[]): Language | null =>
  tags.slice(0, MAXIMUM_RANGES).reduce<Language | null>((found, tag) => found ?? languageOfTag(tag), null);

/** Returns the tags of an Accept-Language header (RFC 9110 12.5.4) by weight, without those of weight 0. */
function rangesOf(header: string): string[] {
  const ranges = header.split(',').slice(0, MAXIMUM_RANGES);
  const weighed = ranges.map((range) => {
    const [tag = '', ...parameters] = range.split(';');
    const weight = parameters.map((parameter) => /^\s*q=([01](?:\.\d{0,3})?)\s*$/i.exec(parameter)?.[1]).find(Boolean);
    return { tag, weight: Number(weight ?? 1) };
  });
  return weighed
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag);
}

export interface LanguageWishes {
  /**
   * The parameter `ui_locales` (OpenID Connect Core 3.1.2.1): language tags in order of preference, separated by
   * spaces.
   */
  readonly uiLocales?: string | undefined;
  readonly chosen?: string | null;
  readonly userLocale?: string | null;
  readonly acceptLanguage?: string | null;
}

export function languageOf({ acceptLanguage, chosen, uiLocales, userLocale }: LanguageWishes): Language {
  return (
    firstOf((uiLocales ?? '').split(/\s+/)) ??
    languageOfTag(chosen ?? '') ??
    languageOfTag(userLocale ?? '') ??
    firstOf(rangesOf(acceptLanguage ?? '')) ??
    'en'
  );
}
