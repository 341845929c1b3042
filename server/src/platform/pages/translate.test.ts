import { IntlMessageFormat } from 'intl-messageformat';
import { expect, test } from 'vitest';
import { en, type MessageKey } from './catalogues/en.ts';
import { LANGUAGES, type Language } from './language.ts';
import { CATALOGUES, listed, translatorOf } from './translate.ts';

const KEYS = Object.keys(en) as MessageKey[];
const OTHERS = (Object.keys(LANGUAGES) as Language[]).filter((language) => language !== 'en');

const LITERAL = 0;
const kindOf = ({ type }: { readonly type: number }): number => type;
type Element = ReturnType<IntlMessageFormat['getAst']>[number];

function argumentsOf(elements: readonly Element[]): string[] {
  return elements.flatMap((element) => {
    const inner = 'options' in element ? Object.values(element.options).flatMap(({ value }) => argumentsOf(value)) : [];
    const isArgument = 'value' in element && kindOf(element) !== LITERAL;
    return isArgument ? [`${element.value}: ${element.type}`, ...inner] : inner;
  });
}

const signature = (language: Language, key: MessageKey): string[] => {
  const format = new IntlMessageFormat(CATALOGUES[language][key], language, undefined, { ignoreTag: true });
  return [...new Set(argumentsOf(format.getAst()))].toSorted();
};

test('arguments are found, with their kinds', () => {
  expect(signature('en', 'account.sessions.since')).toEqual(['when: 3', 'when: 4']);
  expect(signature('en', 'password.warn')).toEqual(['days: 6']);
});

test('every language has the keys of English, in their order', () => {
  expect(OTHERS).toHaveLength(Object.keys(CATALOGUES).length - 1);
  const others = OTHERS.map((language) => [language, Object.keys(CATALOGUES[language])]);
  expect(Object.fromEntries(others)).toEqual(Object.fromEntries(OTHERS.map((language) => [language, KEYS])));
});

function faultsOf(language: Language, key: MessageKey): string[] {
  const text = CATALOGUES[language][key];
  const [taken, wanted] = [signature(language, key).join(', '), signature('en', key).join(', ')];
  return [
    ...(taken === wanted ? [] : [`takes (${taken}), and English takes (${wanted})`]),
    ...(text.trim() === text ? [] : ['begins or ends with a blank']),
    ...(text === '' ? ['says nothing'] : []),
  ].map((fault) => `${language} ${key} ${fault}`);
}

test('every text takes the arguments that English takes, and says something', () => {
  const texts = OTHERS.flatMap((language) => KEYS.map((key) => [language, key] as const));
  expect(texts.length).toBeGreaterThanOrEqual(1_000);
  expect(texts.flatMap(([language, key]) => faultsOf(language, key))).toEqual([]);
});

test('a language counts as it counts', () => {
  expect(translatorOf('en')('password.rule.number', { count: 1 })).toBe('At least 1 digit');
  expect(translatorOf('de')('password.rule.number', { count: 2 })).toBe('Mindestens 2 Ziffern');
  expect(translatorOf('ja')('password.rule.length', { count: 8 })).toBe('8 文字以上');
});

test('what is filled in is no message: braces and tags of a name stay what they are', () => {
  expect(translatorOf('en')('account.welcome', { name: '{x} <b>' })).toBe('Hello, {x} <b>');
});

test('a value that is missing is a fault, not a hole', () => {
  expect(() => translatorOf('en')('account.welcome')).toThrow();
});

test('an instant is told in UTC', () => {
  const when = new Date('2026-03-01T23:30:00Z');
  expect(translatorOf('de')('account.sessions.since', { when })).toBe('Angemeldet am 1. März 2026, 23:30 UTC');
});

test('French has no blank before a colon or a question mark at which a line can break', () => {
  const faulty = KEYS.filter((key) => / [:;?!»]/.test(CATALOGUES.fr[key]));
  expect(faulty).toEqual([]);
});

test('items of a list are separated as the language separates them', () => {
  expect(listed(translatorOf('fr'), ['nom', 'prénom'])).toBe('nom, prénom');
  expect(listed(translatorOf('ja'), ['姓', '名', '電話'])).toBe('姓、名、電話');
  expect(listed(translatorOf('en'), [])).toBe('');
});
