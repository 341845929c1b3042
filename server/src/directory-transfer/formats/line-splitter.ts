import { MAXIMUM_ROW_BYTES, type RawRow, rowOf, type Splitter, tooLong } from './raw-rows.ts';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

const isBlank = (line: Buffer): boolean => line.length === 0 || (line.length === 1 && line[0] === CARRIAGE_RETURN);

/** This class splits a file into lines (NDJSON). Blank lines are counted and skipped. */
export class LineSplitter implements Splitter {
  #rest: Buffer = Buffer.alloc(0);
  #number = 0;
  /** Whether the beginning of the current line was dropped because of its length. */
  #isSkipping = false;
  readonly #longest: number;

  constructor(longest: number = MAXIMUM_ROW_BYTES) {
    this.#longest = longest;
  }

  push(chunk: Buffer): RawRow[] {
    const data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const rows: RawRow[] = [];
    let at = 0;
    for (let end = data.indexOf(LINE_FEED, at); end >= 0; end = data.indexOf(LINE_FEED, at)) {
      this.#add(rows, data.subarray(at, end));
      at = end + 1;
    }
    this.#rest = data.subarray(at);
    if (this.#rest.length > this.#longest) {
      this.#isSkipping = true;
      this.#rest = Buffer.alloc(0);
    }
    return rows;
  }

  end(): RawRow[] {
    const rows: RawRow[] = [];
    if (this.#rest.length > 0 || this.#isSkipping) this.#add(rows, this.#rest);
    this.#rest = Buffer.alloc(0);
    return rows;
  }

  #add(rows: RawRow[], line: Buffer): void {
    this.#number += 1;
    const isTooLong = this.#isSkipping || line.length > this.#longest;
    this.#isSkipping = false;
    if (isTooLong) rows.push(tooLong(this.#number, this.#longest));
    else if (!isBlank(line)) rows.push(rowOf(this.#number, line));
  }
}
