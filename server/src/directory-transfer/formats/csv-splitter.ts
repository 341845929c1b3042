import { MAXIMUM_ROW_BYTES, type RawRow, rowOf, type Splitter, TransferError, tooLong } from './raw-rows.ts';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;

const UNFINISHED = -1;

/** Each unclosed quote costs a scan of at least the maximum row length. */
const MOST_OPEN_QUOTES = 50;

/** Returns the end of the row at `from`: the first line break outside of quotes (RFC 4180), or UNFINISHED. */
function endOfQuotedRow(data: Buffer, from: number, delimiter: number, isLast: boolean): number {
  let isQuoted = false;
  let startsCell = true;
  for (let at = from; at < data.length; at += 1) {
    const byte = data[at];
    if (isQuoted) {
      if (byte !== QUOTE) continue;
      // The next byte shows whether this quote is the first half of a doubled quote.
      if (at + 1 === data.length && !isLast) return UNFINISHED;
      if (data[at + 1] === QUOTE) at += 1;
      else isQuoted = false;
    } else if (byte === QUOTE && startsCell) {
      isQuoted = true;
      startsCell = false;
    } else if (byte === LINE_FEED) return at;
    else startsCell = byte === delimiter;
  }
  return UNFINISHED;
}

/**
 * This class splits a table into rows (RFC 4180). Quoted cells can contain line breaks. Blank lines are counted and
 * skipped.
 */
export class CsvSplitter implements Splitter {
  readonly #delimiter: number;
  #rest: Buffer = Buffer.alloc(0);
  #number = 0;
  #openQuotes = 0;
  #isSkipping = false;

  constructor(delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0);
  }

  push(chunk: Buffer): RawRow[] {
    return this.#split(this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]), false);
  }

  end(): RawRow[] {
    const rows = this.#split(this.#rest, true);
    // The last line may end without a line break.
    if (this.#rest.length > 0 || this.#isSkipping) this.#add(rows, this.#rest);
    this.#rest = Buffer.alloc(0);
    return rows;
  }

  #split(data: Buffer, isLast: boolean): RawRow[] {
    const rows: RawRow[] = [];
    let at = 0;
    let quoteAt = -1;
    for (;;) {
      const lineEnd = data.indexOf(LINE_FEED, at);
      if (this.#isSkipping) {
        if (lineEnd < 0) break;
        this.#add(rows, data.subarray(at, lineEnd));
        at = lineEnd + 1;
        continue;
      }
      if (quoteAt < at) quoteAt = data.indexOf(QUOTE, at);
      if (quoteAt < 0) quoteAt = data.length;
      let end = lineEnd >= 0 && lineEnd < quoteAt ? lineEnd : UNFINISHED;
      if (end < 0 && quoteAt < data.length) end = endOfQuotedRow(data, at, this.#delimiter, isLast);
      const length = (end < 0 ? data.length : end) - at;
      if (length > MAXIMUM_ROW_BYTES) {
        // An unclosed quote would make the rest of the file one row, so only the row's first line is skipped.
        this.#isSkipping = true;
        if (quoteAt < at + length) this.#countOpenQuote();
        if (lineEnd < 0) at = data.length;
        continue;
      }
      if (end < 0) break;
      this.#add(rows, data.subarray(at, end));
      at = end + 1;
    }
    this.#rest = this.#isSkipping ? Buffer.alloc(0) : data.subarray(at);
    return rows;
  }

  #countOpenQuote(): void {
    this.#openQuotes += 1;
    if (this.#openQuotes <= MOST_OPEN_QUOTES) return;
    throw new TransferError(
      `Row ${this.#number + 1} opens a quote that is never closed, and more than ${MOST_OPEN_QUOTES} rows do so.`,
    );
  }

  #add(rows: RawRow[], row: Buffer): void {
    this.#number += 1;
    if (this.#isSkipping) rows.push(tooLong(this.#number));
    else {
      const end = row.at(-1) === CARRIAGE_RETURN ? row.length - 1 : row.length;
      if (end > 0) rows.push(rowOf(this.#number, row.subarray(0, end)));
    }
    this.#isSkipping = false;
  }
}

/** Returns the cells of a row, or null if a quoted cell is not closed or continues after its closing quote. */
export function cellsOf(row: string, delimiter: string): string[] | null {
  if (!row.includes('"')) return row.split(delimiter);
  const cells: string[] = [];
  let at = 0;
  for (;;) {
    if (row[at] !== '"') {
      const end = row.indexOf(delimiter, at);
      cells.push(end < 0 ? row.slice(at) : row.slice(at, end));
      if (end < 0) return cells;
      at = end + 1;
      continue;
    }
    let end = row.indexOf('"', at + 1);
    while (end >= 0 && row[end + 1] === '"') end = row.indexOf('"', end + 2);
    if (end < 0) return null;
    cells.push(row.slice(at + 1, end).replaceAll('""', '"'));
    if (end + 1 === row.length) return cells;
    if (row[end + 1] !== delimiter) return null;
    at = end + 2;
  }
}
