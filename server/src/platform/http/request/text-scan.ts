/** Forms have the same limit, because `decodeQuery` decodes them too. */
export const MAXIMUM_QUERY_PARAMETERS = 1_000;

export interface QueryProblem {
  readonly kind: 'invalidPercentEncoding' | 'invalidUtf8' | 'nul' | 'tooManyParameters';
  /** The name of the parameter; null if it could not be read, or if there are too many parameters. */
  readonly field: string | null;
}

/** Tells whether `text` contains NUL or a surrogate, which UTF-16 uses for characters of four bytes in UTF-8. */
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
  // Node returns each byte above 0x7f as one character. With these bytes percent-encoded, `decodeURIComponent` checks
  // that they are valid UTF-8.
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
 * Decodes a query in order, with `+` as a space, or returns its first problem. Invalid input never becomes a
 * replacement character.
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
