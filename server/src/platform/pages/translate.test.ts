import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, test } from 'vitest';
import { en, type MessageKey } from './catalogues/en.ts';
import { LANGUAGES, type Language } from './language.ts';
import { CATALOGUES, translatorOf } from './translate.ts';

const KEYS = Object.keys(en) as MessageKey[];
const OTHERS = (Object.keys(LANGUAGES) as Language[]).filter((language) => language !== 'en');

const LITERAL = 0;
const kindOf = ({ type }: { readonly type: number }): number => type;
type Element = ReturnType<IntlMessageFormat['getAst']>[number];

/** Arguments of a message with their kinds. */
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

describe.each(OTHERS)('%s', (language) => {
  test('has the keys of English, in their order', () => {
    expect(Object.keys(CATALOGUES[language])).toEqual(KEYS);
  });

  test.each(KEYS)('%s takes the arguments that English takes, and says something', (key) => {
    expect(signature(language, key)).toEqual(signature('en', key));
    expect(CATALOGUES[language][key].trim()).toBe(CATALOGUES[language][key]);
    expect(CATALOGUES[language][key]).not.toBe('');
  });
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
