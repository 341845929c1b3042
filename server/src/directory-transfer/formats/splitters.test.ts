import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CsvSplitter, cellsOf } from './csv-splitter.ts';
import { JsonSplitter } from './json-splitter.ts';
import { LineSplitter } from './line-splitter.ts';
import { MAXIMUM_ROW_BYTES, type RawRow, type Splitter } from './raw-rows.ts';

function split(splitter: Splitter, bytes: Buffer, size = bytes.length + 1): RawRow[] {
  const rows: RawRow[] = [];
  for (let at = 0; at < bytes.length; at += size) rows.push(...splitter.push(bytes.subarray(at, at + size)));
  return [...rows, ...splitter.end()];
}
const texts = (rows: readonly RawRow[]): string[] => rows.flatMap((row) => ('text' in row ? row.text : []));
const problems = (rows: readonly RawRow[]): [number, string][] =>
  rows.flatMap((row) => ('problem' in row ? [[row.number, row.problem.reason] as [number, string]] : []));

const pieceSize = fc.integer({ min: 1, max: 40 });

describe('lines', () => {
  test('are rows, whatever ends them; blank ones are counted', () => {
    expect(split(new LineSplitter(), Buffer.from('a\r\n\nb\n\r\nc'))).toEqual([
      { number: 1, text: 'a\r' },
      { number: 3, text: 'b' },
      { number: 5, text: 'c' },
    ]);
  });

  test('come out the same however the bytes come', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), pieceSize, (lines, size) => {
        const bytes = Buffer.from(lines.join('\n'));
        expect(split(new LineSplitter(), bytes, size)).toEqual(split(new LineSplitter(), bytes));
      }),
    );
  });

  test('one that is too long, or no UTF-8, is refused alone', () => {
    const long = Buffer.alloc(MAXIMUM_ROW_BYTES + 1, 'x');
    const bytes = Buffer.concat([Buffer.from('a\n'), long, Buffer.from('\nb\n'), Buffer.of(0xff), Buffer.from('\nc')]);
    const rows = split(new LineSplitter(), bytes, 65_536);
    expect(texts(rows)).toEqual(['a', 'b', 'c']);
    expect(problems(rows)).toEqual([
      [2, `is longer than ${MAXIMUM_ROW_BYTES} bytes.`],
      [4, 'is not UTF-8.'],
    ]);
    expect(problems(split(new LineSplitter(3), Buffer.from('abc\nabcd')))).toEqual([[2, 'is longer than 3 bytes.']]);
  });
});

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ';', ' ', 'é', '=') });

describe('tables', () => {
  test('cells in quotes hold whatever they hold; others end at the delimiter', () => {
    const rows = split(new CsvSplitter(','), Buffer.from('a,b\r\n"x\ny","say ""hi"", ok"\n,5"\n'));
    expect(texts(rows).map((row) => cellsOf(row, ','))).toEqual([
      ['a', 'b'],
      ['x\ny', 'say "hi", ok'],
      ['', '5"'],
    ]);
  });

  test('every table comes back as it was written, however the bytes come', () => {
    const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(table, pieceSize, fc.constantFrom('\n', '\r\n'), (cells, size, end) => {
        const text = cells.map((row) => row.map(quoted).join(',')).join(end);
        const rows = split(new CsvSplitter(','), Buffer.from(text), size);
        expect(texts(rows).map((row) => cellsOf(row, ','))).toEqual(cells);
      }),
    );
  });

  test.each(['"a"b,c', '"a', 'x,"a" '])('a misplaced quote is seen: %s', (row) => {
    expect(cellsOf(row, ',')).toBeNull();
  });

  test('a quote that nobody closed costs its line, not the rest of the file', () => {
    const filler = Array.from({ length: 40_000 }, (_, index) => `row ${index}, with some thirty characters`);
    const text = ['first,row', '"open,quote', ...filler].join('\n');
    const rows = split(new CsvSplitter(','), Buffer.from(text), 262_144);
    expect(problems(rows)).toEqual([[2, `is longer than ${MAXIMUM_ROW_BYTES} bytes.`]]);
    expect(texts(rows)).toEqual(['first,row', ...filler]);
  });

  test('a file in which each line opens another quote is given up, instead of being read for hours', () => {
    // The line below ends inside quotes, whether or not it begins inside quotes.
    const text = 'a"b,"\n'.repeat(200_000);
    expect(() => split(new CsvSplitter(','), Buffer.from(text), 262_144)).toThrow('a quote that is never closed');
  });
});

describe('JSON documents', () => {
  const json = (value: unknown, space: number): Buffer => Buffer.from(JSON.stringify(value, null, space));

  test('the elements of an array come one by one, however the bytes come', () => {
    const elements = fc.array(fc.object({ maxDepth: 3 }));
    fc.assert(
      fc.property(elements, pieceSize, fc.constantFrom(0, 2), (users, size, space) => {
        const plain = JSON.parse(JSON.stringify(users)) as unknown[];
        const rows = split(new JsonSplitter(null), json(users, space), size);
        expect(texts(rows).map((text) => JSON.parse(text) as unknown)).toEqual(plain);
        expect(rows.map(({ number }) => number)).toEqual(plain.map((_, index) => index + 1));
      }),
    );
  });

  test('or those of a member, whatever else is there and looks like it', () => {
    const other = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue());
    fc.assert(
      fc.property(other, fc.array(fc.object()), other, pieceSize, (before, users, behind, size) => {
        const ahead = Object.entries({ ...before, decoy: { users: [{ a: 1 }] }, name: 'users' });
        const others = (members: readonly [string, unknown][]) => members.filter(([name]) => name !== 'users');
        // `JSON.stringify` would move members with numeric names to the front, so the text is assembled by hand.
        const text = [...others(ahead), ['users', users] as const, ...others(Object.entries(behind))]
          .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
          .join(',');
        const rows = split(new JsonSplitter('users'), Buffer.from(`{${text}}`), size);
        expect(texts(rows).map((row) => JSON.parse(row) as unknown)).toEqual(JSON.parse(JSON.stringify(users)));
      }),
    );
  });

  test('what is no object is refused alone, once', () => {
    const rows = split(new JsonSplitter(null), Buffer.from('[{"a":1}, "text, [more]", 12.5, null, [1], {"b":2}]'));
    expect(texts(rows)).toEqual(['{"a":1}', '[1]', '{"b":2}']);
    expect(problems(rows).map(([number]) => number)).toEqual([2, 3, 4]);
  });

  test('an element that is too long is refused alone, and not kept', () => {
    const users = [{ a: 1 }, { note: 'x'.repeat(MAXIMUM_ROW_BYTES) }, { b: 2 }];
    const rows = split(new JsonSplitter('users'), json({ users }, 0), 100_000);
    expect(texts(rows)).toEqual(['{"a":1}', '{"b":2}']);
    expect(problems(rows)).toEqual([[2, `is longer than ${MAXIMUM_ROW_BYTES} bytes.`]]);
  });

  test.each([
    ['{"users":[{"a":1}', 'in the middle'],
    ['{"users":[{"a":"', 'in the middle'],
    ['{"people":[]}', 'no array "users"'],
    ['[]]', 'did not open'],
  ])('%s is no such document', (text, part) => {
    expect(() => split(new JsonSplitter('users'), Buffer.from(text))).toThrow(part);
  });

  test('100,000 open brackets are counted, not followed', () => {
    const text = `[{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}]`;
    expect(texts(split(new JsonSplitter(null), Buffer.from(text)))).toHaveLength(1);
  });
});
