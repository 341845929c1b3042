import { MAXIMUM_ROW_BYTES, type RawRow, rowOf, type Splitter, TransferError, tooLong } from './raw-rows.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

const isBlank = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

/** At most this many bytes of a member's name are kept in memory. */
const MAXIMUM_NAME_BYTES = 64;

/**
 * This class splits an array into its elements. The array is the whole JSON document or a member of its top-level
 * object.
 */
export class JsonSplitter implements Splitter {
  readonly #member: string | null;
  readonly #within: number;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #isInArray = false;
  #found = false;
  /**
   * The first bytes of the current string at the top level, which may be the name of a member. It is null outside of
   * such a string.
   */
  #name: number[] | null = null;
  #lastName = '';
  #number = 0;
  #parts: Buffer[] = [];
  #bytes = 0;
  #isInElement = false;
  #isScalar = false;

  constructor(member: string | null) {
    this.#member = member;
    this.#within = member === null ? 1 : 2;
  }

  push(chunk: Buffer): RawRow[] {
    const rows: RawRow[] = [];
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (this.#isInString) {
        this.#stringByte(byte);
        continue;
      }
      if (isBlank(byte)) continue;
      const wasInElement = this.#isInElement;
      this.#structureByte(byte, rows);
      if (!wasInElement && this.#isInElement) start = at;
      if (wasInElement && !this.#isInElement) this.#finish(chunk.subarray(start, at + 1), rows);
    }
    if (this.#isInElement) this.#keep(chunk.subarray(start));
    return rows;
  }

  end(): RawRow[] {
    if (this.#depth > 0 || this.#isInString) throw new TransferError('The file ends in the middle of its document.');
    if (!this.#found) {
      const where = this.#member === null ? 'no array' : `no array "${this.#member}"`;
      throw new TransferError(`The file has ${where}.`);
    }
    return [];
  }

  #stringByte(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) {
      this.#isInString = false;
      if (this.#name !== null) this.#lastName = Buffer.from(this.#name).toString('utf8');
      this.#name = null;
    } else if (this.#name !== null && this.#name.length < MAXIMUM_NAME_BYTES) this.#name.push(byte);
  }

  #structureByte(byte: number, rows: RawRow[]): void {
    const isBetween = this.#isInArray && this.#depth === this.#within;
    if (byte === QUOTE) {
      this.#isInString = true;
      if (this.#member !== null && this.#depth === 1) this.#name = [];
      if (isBetween) this.#scalar(rows);
      return;
    }
    if (byte === OPENING_BRACE || byte === OPENING_BRACKET) {
      this.#open(byte, isBetween);
      return;
    }
    if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
      this.#depth -= 1;
      if (this.#depth < 0) throw new TransferError('The file closes a bracket that it did not open.');
      if (this.#isInElement && this.#depth === this.#within) this.#isInElement = false;
      else if (isBetween) this.#isInArray = false;
      return;
    }
    if (byte === COMMA) this.#isScalar = false;
    else if (isBetween && byte !== COLON) this.#scalar(rows);
  }

  #open(byte: number, isBetween: boolean): void {
    if (isBetween) {
      this.#number += 1;
      this.#isInElement = true;
      this.#bytes = 0;
    } else if (byte === OPENING_BRACKET && !this.#isInArray && this.#depth === this.#within - 1) {
      this.#isInArray = this.#member === null ? !this.#found : this.#lastName === this.#member;
      this.#found ||= this.#isInArray;
    }
    this.#depth += 1;
  }

  #scalar(rows: RawRow[]): void {
    if (this.#isScalar) return;
    this.#isScalar = true;
    this.#number += 1;
    rows.push({ number: this.#number, problem: { field: '', reason: 'is not an object.' } });
  }

  #keep(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > MAXIMUM_ROW_BYTES) this.#parts = [];
    else this.#parts.push(Buffer.from(part));
  }

  #finish(part: Buffer, rows: RawRow[]): void {
    this.#keep(part);
    const isTooLong = this.#bytes > MAXIMUM_ROW_BYTES;
    rows.push(isTooLong ? tooLong(this.#number) : rowOf(this.#number, Buffer.concat(this.#parts)));
    this.#parts = [];
    this.#bytes = 0;
  }
}
