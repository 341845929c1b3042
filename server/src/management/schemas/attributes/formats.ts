import type { AttributeFormat } from './attribute.ts';

/**
 * An atom of an address (RFC 5322 3.2.3, RFC 6531). It contains neither a dot nor `@`, so matching takes linear time.
 */
const ATOM = "[\\p{L}\\p{M}\\p{N}!#$%&'*+/=?^_`{|}~-]+";
const LABEL = '[\\p{L}\\p{M}\\p{N}-]+';
const EMAIL = new RegExp(`^${ATOM}(?:\\.${ATOM})*@${LABEL}(?:\\.${LABEL})*$`, 'u');

export const isEmailAddress = (text: string): boolean => EMAIL.test(text);

const COUNTRY = /^[A-Z]{2}$/;
const LANGUAGE = /^[A-Za-z]{2,8}(?:[-_][A-Za-z\d]{1,8})*$/;
const DATE_TIME = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;
const REFERENCE = /^[\da-zA-Z]{20}$/;
const LONGEST_ZONE = 64;

function isTimeZone(text: string): boolean {
  if (text.length > LONGEST_ZONE || !/^[A-Za-z]/.test(text)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}

// biome-ignore format: the columns are the documentation
const IS_FORMATTED: Readonly<Record<AttributeFormat, (text: string) => boolean>> = {
  email:           isEmailAddress,
  uri:             (text) => URL.canParse(text),
  'country-code':  (text) => COUNTRY.test(text),
  'language-code': (text) => LANGUAGE.test(text),
  locale:          (text) => LANGUAGE.test(text),
  timezone:        isTimeZone,
  'date-time':     (text) => DATE_TIME.test(text) && !Number.isNaN(Date.parse(text)),
  'ref-id':        (text) => REFERENCE.test(text),
};

export const isFormatted = (text: string, format: AttributeFormat): boolean => IS_FORMATTED[format](text);
