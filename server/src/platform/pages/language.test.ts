import { expect, test } from 'vitest';
import { languageOf } from './language.ts';

test.each([
  [{}, 'en'],
  [{ acceptLanguage: 'de-AT,de;q=0.9,en;q=0.8' }, 'de'],
  [{ acceptLanguage: 'nl, en;q=0.5, fr;q=0.9' }, 'fr'],
  [{ acceptLanguage: 'fr;q=0, ja' }, 'ja'],
  [{ acceptLanguage: 'fr;q=abc, es;q=0.9' }, 'fr'],
  [{ acceptLanguage: '*' }, 'en'],
  [{ acceptLanguage: `${'xx,'.repeat(1_000)}de` }, 'en'],
  [{ userLocale: 'es_MX', acceptLanguage: 'de' }, 'es'],
  [{ userLocale: 'tlh', acceptLanguage: 'de' }, 'de'],
  [{ chosen: 'ja', userLocale: 'es' }, 'ja'],
  [{ chosen: '"><script>', userLocale: 'es' }, 'es'],
  [{ uiLocales: 'nl fr-CA de', chosen: 'ja' }, 'fr'],
  [{ uiLocales: '__proto__ constructor', chosen: 'ja' }, 'ja'],
])('%j is %s', (wishes, language) => {
  expect(languageOf(wishes)).toBe(language);
});
