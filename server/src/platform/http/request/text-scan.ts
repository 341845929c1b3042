/** A query of more parameters than this is refused. */
export const MAXIMUM_QUERY_PARAMETERS = 1_000;

export interface QueryProblem {
  readonly kind: 'invalidPercentEncoding' | 'invalidUtf8' | 'nul' | 'tooManyParameters';
  /** The parameter, if its name could be read. */
  readonly field: string | null;
}

/** NUL, and characters of four bytes in UTF-8: in UTF-16 those, and only those, are written with surrogates. */
export function findUnsupportedCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === 0 || (unit >= 0xd800 && unit <= 0xdfff)) return true;
  }
  return false;
}

type Decoded = { readonly text: string } | { readonly kind: QueryProblem['kind'] };

const percentEncode = (byte: string): string => `%${byte.charCodeAt(0).toString(16)}`;

function decodeComponent(raw: string): Decoded {
  const spaced = raw.includes('+') ? raw.replaceAll('+', ' ') : raw;
  // Node returns bytes above 0x7f as one character each; they are validated as the UTF-8 that they should be.
  const ascii = /[\x80-\xff]/.test(spaced) ? spaced.replace(/[\x80-\xff]/g, percentEncode) : spaced;
  if (!ascii.includes('%')) return ascii.includes('\0') ? { kind: 'nul' } : { text: ascii };
  if (/%(?![\da-fA-F]{2})/.test(ascii)) return { kind: 'invalidPercentEncoding' };
  try {
    const text = decodeURIComponent(ascii);
    return text.includes('\0') ? { kind: 'nul' } : { text };
  } catch {
    return { kind: 'invalidUtf8' };
  }
}

/**
 * Strictly decodes a query (without its `?`), in its order, repeated parameters kept; `+` is a space. Invalid input is
 * a problem, never a replacement character.
 */
export function decodeQuery(rawQuery: string): { entries: [string, string][] } | QueryProblem {
  const entries: [string, string][] = [];
  let start = 0;
  while (start < rawQuery.length) {
    const mark = rawQuery.indexOf('&', start);
    const end = mark < 0 ? rawQuery.length : mark;
    const segment = rawQuery.slice(start, end);
    start = end + 1;
    if (segment === '') continue;
    if (entries.length >= MAXIMUM_QUERY_PARAMETERS) return { kind: 'tooManyParameters', field: null };
    const equals = segment.indexOf('=');
    const name = decodeComponent(equals < 0 ? segment : segment.slice(0, equals));
    if ('kind' in name) return { kind: name.kind, field: null };
    const value = decodeComponent(equals < 0 ? '' : segment.slice(equals + 1));
    if ('kind' in value) return { kind: value.kind, field: name.text };
    entries.push([name.text, value.text]);
  }
  return { entries };
}
