import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvCell, csvRow } from '../../src/system-log/export/csv.ts';
import { CSV_COLUMNS } from '../../src/system-log/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import { openTestDatabase } from '../support/database.ts';
import { openExportBench, START } from '../support/log-export.ts';
import { rounds } from '../support/rounds.ts';

const database = beforeTests(() => openTestDatabase());
const log = beforeTests(() => openExportBench(database));

function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    let cell = '';
    if (text[at] === '"') {
      at += 1;
      while (!(text[at] === '"' && text[at + 1] !== '"')) {
        if (text[at] === '"') at += 1;
        cell += text[at] ?? '';
        at += 1;
      }
      at += 1;
    } else {
      while (at < text.length && text[at] !== ',' && text[at] !== '\r' && text[at] !== '\n') {
        if (text[at] === '"') throw new Error('a quote in a cell without quotes');
        cell += text[at];
        at += 1;
      }
    }
    row.push(cell);
    if (text[at] === ',') at += 1;
    else {
      if (text.slice(at, at + 2) !== '\r\n') throw new Error('a line must end with CR and LF');
      at += 2;
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

describe('csv', () => {
  test('has the columns that are documented, and a row an event', async () => {
    const [header, ...rows] = readCsv(await log.exported({ format: 'csv', toPosition: 11 }));
    expect(header).toEqual(CSV_COLUMNS);
    expect(rows).toHaveLength(11);
    const first = Object.fromEntries(CSV_COLUMNS.map((name, index) => [name, rows[0]?.[index]]));
    expect(first).toMatchObject({
      position: '1',
      eventType: 'user.lifecycle.create',
      published: START,
      'outcome.result': 'FAILURE',
      'outcome.reason': 'a, "b"\nc',
      'actor.alternateId': 'ada@example.com',
      'client.ipAddress': '203.0.113.9',
      'target.id': 'u0.0',
    });
    expect(JSON.parse(first['target'] ?? '')).toMatchObject([{ id: 'u0.0', type: 'User' }]);
    expect(JSON.parse(first['debugContext.debugData'] ?? '')).toMatchObject({ url: '/api/v1/users?activate=true' });
  });

  test('an erased event is a row without content', () => {
    expect(csvRow(3, '{}')).toBe(`3${','.repeat(CSV_COLUMNS.length - 1)}\r\n`);
  });

  const fragments = fc.constantFrom(
    '=',
    '+',
    '-',
    '@',
    ',',
    '"',
    '""',
    '\n',
    '\r',
    '\r\n',
    '\t',
    "'",
    ';',
    'é',
    '😀',
    '\u2028',
  );
  const hostile = fc
    .array(fc.oneof(fragments, fc.string({ unit: 'grapheme', maxLength: 4 })))
    .map((parts) => parts.join(''));
  const runs = /^[=+\-@\t\r]/;

  test('every cell comes back as it was, but for the apostrophe before what a spreadsheet would run', () => {
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 8 }), (cells) => {
        const [row] = readCsv(`${cells.map(csvCell).join(',')}\r\n`);
        expect(row).toEqual(cells.map((cell) => (runs.test(cell) ? `'${cell}` : cell)));
        expect(row?.some((cell) => runs.test(cell))).toBe(false);
      }),
      { numRuns: rounds(2_000) },
    );
  });

  test('whatever an event says, its row has all the columns', () => {
    fc.assert(
      fc.property(hostile, fc.array(hostile, { maxLength: 3 }), (text, ids) => {
        const event = {
          displayMessage: text,
          actor: { alternateId: text },
          client: { userAgent: { rawUserAgent: text } },
          debugContext: { debugData: { [text]: text } },
          target: ids.map((id) => ({ id, displayName: text })),
        };
        const rows = readCsv(csvRow(1, JSON.stringify(event)));
        expect(rows.map((row) => row.length)).toEqual([CSV_COLUMNS.length]);
        const cell = rows[0]?.[CSV_COLUMNS.indexOf('debugContext.debugData')] ?? '';
        expect(JSON.parse(cell)).toEqual({ [text]: text });
      }),
      { numRuns: rounds(500) },
    );
  });
});
