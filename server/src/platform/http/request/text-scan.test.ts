import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeQuery, findUnsupportedCharacter, MAXIMUM_QUERY_PARAMETERS } from './text-scan.ts';

describe('findUnsupportedCharacter', () => {
  test.each(['', 'plain', 'é€漢', '\uffff', '\ue000', '\u0001'])('allows %j', (text) =>
    expect(findUnsupportedCharacter(text)).toBe(false),
  );
  test.each(['😀', 'a\0b', '\ud83d', '\ude00', 'x\u{10ffff}'])('finds one in %j', (text) =>
    expect(findUnsupportedCharacter(text)).toBe(true),
  );
});

describe('decodeQuery', () => {
  test.each<[string, [string, string][]]>([
    ['', []],
    [
      'a=1&b=2',
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ],
    [
      'a=1&a=2',
      [
        ['a', '1'],
        ['a', '2'],
      ],
    ],
    ['&&a=1&', [['a', '1']]],
    ['a', [['a', '']]],
    ['=x', [['', 'x']]],
    ['a=b=c', [['a', 'b=c']]],
    ['filter=status%20eq+%22ACTIVE%22', [['filter', 'status eq "ACTIVE"']]],
    ['since=2024-01-01T00:00:00%2B00:00', [['since', '2024-01-01T00:00:00+00:00']]],
    ['q=%C3%A9', [['q', 'é']]],
    ['q=\u00c3\u00a9', [['q', 'é']]],
    ['q=%F0%9F%98%80', [['q', '😀']]],
  ])('decodes %j', (raw, entries) => expect(decodeQuery(raw)).toEqual({ entries }));

  test.each([
    ['a=%', 'invalidPercentEncoding', 'a'],
    ['a=%4', 'invalidPercentEncoding', 'a'],
    ['a=%zz', 'invalidPercentEncoding', 'a'],
    ['%zz=1', 'invalidPercentEncoding', null],
    ['a=%u0041', 'invalidPercentEncoding', 'a'],
    ['a=1&b=%ff', 'invalidUtf8', 'b'],
    ['a=%C0%80', 'invalidUtf8', 'a'],
    ['a=%ED%A0%80', 'invalidUtf8', 'a'],
    ['a=\u00e9', 'invalidUtf8', 'a'],
    ['a=x%00', 'nul', 'a'],
    ['a=\0', 'nul', 'a'],
    ['%00=a', 'nul', null],
  ])('refuses %j: %s of %j', (raw, kind, field) => expect(decodeQuery(raw)).toEqual({ kind, field }));

  test('bounds the number of parameters', () => {
    const query = (count: number) => Array.from({ length: count }, () => 'a=1').join('&');
    expect(decodeQuery(query(MAXIMUM_QUERY_PARAMETERS))).toHaveProperty('entries.length', MAXIMUM_QUERY_PARAMETERS);
    expect(decodeQuery(query(10_000))).toEqual({ kind: 'tooManyParameters', field: null });
  });

  test('gives back whatever was encoded, by either way of encoding spaces', () => {
    const text = fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll('\0', ''));
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { maxLength: 8 }), (entries) => {
        const percent = entries.map((entry) => entry.map(encodeURIComponent).join('=')).join('&');
        expect(decodeQuery(percent)).toEqual({ entries });
        expect(decodeQuery(new URLSearchParams(entries).toString())).toEqual({ entries });
      }),
    );
  });

  test('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (raw) => {
        const decoded = decodeQuery(raw);
        expect('entries' in decoded ? decoded.entries.flat().join('') : '').not.toContain('\0');
      }),
    );
  });
});
