import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { prefersMinimal, readPreferences } from './prefer.ts';

describe('return=minimal (RFC 7240)', () => {
  test.each<[string | string[]]>([
    ['return=minimal'],
    ['Return=Minimal'],
    ['RETURN=MINIMAL'],
    ['return="minimal"'],
    ['return="min\\imal"'],
    ['return = minimal'],
    ['\treturn=minimal '],
    ['return=minimal; foo=bar'],
    ['return=minimal;foo="a, b; c";;'],
    ['respond-async, return=minimal'],
    ['wait=10,return=minimal,handling=lenient'],
    [', ,return=minimal'],
    ['foo="a, return=representation", return=minimal'],
    ['foo="\\", return=representation", return=minimal'],
    ['foo bar, return=minimal'],
    ['return=minimal, return=representation'],
    [['respond-async', 'return=minimal']],
    [['return=minimal', 'return=representation']],
  ])('%j is it', (header) => {
    expect(prefersMinimal(header)).toBe(true);
  });

  test.each<[string | string[] | undefined]>([
    [undefined],
    [''],
    [[]],
    ['minimal'],
    ['return'],
    ['return='],
    ['return=""'],
    ['return=representation'],
    ['return=minimalist'],
    ['return=minimal minimal'],
    ['xreturn=minimal'],
    ['foo=bar; return=minimal'],
    ['foo="return=minimal"'],
    ['foo="a, return=minimal"'],
    ['foo="a, return=minimal'],
    ['return:minimal'],
    // If a preference is repeated, only the first one counts (RFC 7240 2).
    ['return=representation, return=minimal'],
    [['return=representation', 'return=minimal']],
  ])('%j is not', (header) => {
    expect(prefersMinimal(header)).toBe(false);
  });
});

test.each([
  `a${';  '.repeat(5_000)}\u0000`,
  `a=${'b '.repeat(8_000)}`,
  'a;b="'.repeat(3_000),
  `a${'; b= '.repeat(3_000)}`,
])('a header made to be slow is read at once (%#)', (header) => {
  const started = performance.now();
  readPreferences(header);
  expect(performance.now() - started).toBeLessThan(250);
});

describe('preferences', () => {
  const tokens = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,12}$/);
  const texts = fc.string({ unit: 'grapheme-ascii', maxLength: 12 });
  const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

  test('are read back whatever way they are written', () => {
    const written = fc.record({
      name: tokens,
      value: texts,
      blank: fc.constantFrom('', ' ', '\t'),
      parameters: fc.array(fc.tuple(tokens, texts), { maxLength: 2 }),
      isNewHeader: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(written, { maxLength: 5 }), (preferences) => {
        const headers: string[] = [];
        const expected = new Map<string, string>();
        for (const { blank, isNewHeader, name, parameters, value } of preferences) {
          const rest = parameters.map(([key, text]) => `${blank};${blank}${key}=${quoted(text)}`).join('');
          const member = `${name}${blank}=${blank}${quoted(value)}${rest}`;
          if (isNewHeader || headers.length === 0) headers.push(member);
          else headers.push(`${headers.pop() ?? ''}${blank},${blank}${member}`);
          if (!expected.has(name.toLowerCase())) expected.set(name.toLowerCase(), value);
        }
        expect(readPreferences(headers)).toEqual(expected);
      }),
    );
  });

  test('no header makes it throw', () => {
    const unit = fc.constantFrom(...'return=minimal";,\\ \t\u0000é'.split(''));
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), (header) => {
        expect(readPreferences(header)).toBeInstanceOf(Map);
      }),
    );
  });
});
