/**
 * This error is thrown for stored bytes that are not a valid segment. Anyone who can write to the database can damage
 * segments, so a reader must expect this error.
 */
export class DamagedSegmentError extends Error {}

/** A list of bytes that grows as needed. `varint` takes whole numbers from 0 to `Number.MAX_SAFE_INTEGER`. */
export class ByteWriter {
  #bytes: Buffer;
  #length = 0;

  constructor(capacity = 256) {
    this.#bytes = Buffer.allocUnsafe(capacity);
  }

  get length(): number {
    return this.#length;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#length + count, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }

  /** Writes a number with 7 bits a byte, lowest first. The highest bit of a byte says that another byte follows. */
  varint(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest > 0x7f) {
      this.#bytes[this.#length] = (rest % 0x80) | 0x80;
      this.#length += 1;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length] = rest;
    this.#length += 1;
  }

  /** Writes a number that may be negative. Its sign is a byte of its own, so that no number becomes too large. */
  signed(value: number): void {
    this.varint(value < 0 ? 1 : 0);
    this.varint(Math.abs(value));
  }

  uint16(value: number): void {
    this.#reserve(2);
    this.#length = this.#bytes.writeUInt16BE(value, this.#length);
  }

  uint32(value: number): void {
    this.#reserve(4);
    this.#length = this.#bytes.writeUInt32BE(value, this.#length);
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Writes the length of a text plus 1, and the text in UTF-8. For null, writes 0. */
  text(value: string | null): void {
    if (value === null) {
      this.varint(0);
      return;
    }
    const bytes = Buffer.from(value);
    this.varint(bytes.length + 1);
    this.raw(bytes);
  }

  finish(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }
}

/** A reader of the bytes that a `ByteWriter` wrote. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get at(): number {
    return this.#at;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  byte(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) throw new DamagedSegmentError('the bytes end too early');
    this.#at += 1;
    return value;
  }

  varint(maximum: number): number {
    let value = 0;
    let unit = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte & 0x7f) * unit;
      if (value > maximum) throw new DamagedSegmentError('a number is too large');
      if (byte <= 0x7f) return value;
      unit *= 0x80;
      // Without this check, a long run of 0x80 would add nothing to the value and never be refused.
      if (unit > Number.MAX_SAFE_INTEGER) throw new DamagedSegmentError('a number is too long');
    }
  }

  signed(): number {
    const isNegative = this.varint(1) === 1;
    const size = this.varint(Number.MAX_SAFE_INTEGER);
    return isNegative && size > 0 ? -size : size;
  }

  uint16(): number {
    const high = this.byte();
    return high * 0x100 + this.byte();
  }

  skip(length: number): void {
    if (length > this.#bytes.length - this.#at) throw new DamagedSegmentError('the bytes end too early');
    this.#at += length;
  }

  /** Returns a view of the next bytes. */
  raw(length: number): Uint8Array {
    this.skip(length);
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  text(): string | null {
    const length = this.varint(this.#bytes.length);
    return length === 0 ? null : Buffer.from(this.raw(length - 1)).toString('utf8');
  }
}

/** Returns an item of an array, or 0 beyond its end. */
export const itemAt = (items: Uint32Array | Uint16Array, index: number): number => items[index] ?? 0;

/** The size of an entry in a table of ends, in bytes. */
export const END_BYTES = 4;

/**
 * Looks up a piece in the table of the ends of all pieces. The entries have a fixed size, so that a database can cut
 * out a piece without knowing the format.
 */
export function pieceRange(ends: Uint8Array, index: number): { readonly start: number; readonly end: number } {
  const table = Buffer.from(ends.buffer, ends.byteOffset, ends.byteLength);
  if (index < 0 || (index + 1) * END_BYTES > table.length) throw new DamagedSegmentError('a piece is not in the table');
  const start = index === 0 ? 0 : table.readUInt32BE((index - 1) * END_BYTES);
  const end = table.readUInt32BE(index * END_BYTES);
  if (end < start) throw new DamagedSegmentError('the ends of pieces do not rise');
  return { start, end };
}

export function pieceCount(ends: Uint8Array): number {
  const count = ends.length / END_BYTES;
  if (!Number.isInteger(count)) throw new DamagedSegmentError('a table of pieces ends within an item');
  return count;
}

export function pieceOf(joined: Uint8Array, ends: Uint8Array, index: number): Uint8Array {
  const { end, start } = pieceRange(ends, index);
  if (end > joined.length) throw new DamagedSegmentError('a piece is missing');
  return joined.subarray(start, end);
}
