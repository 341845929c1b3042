import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { OperatorError } from '../../kernel/errors/operator-error.ts';

/** The reason why a row was refused. It must not repeat secrets from the row. */
export interface RowProblem {
  /** The attribute, column or member; empty if the problem concerns the whole row. */
  readonly field: string;
  readonly reason: string;
}

/** An unparsed row of a file. Row numbers start at 1, and the header of a table counts as a row. */
export type RawRow =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly problem: RowProblem };

export class TransferError extends OperatorError {
  constructor(message: string) {
    super(message);
    this.name = 'TransferError';
  }
}

/**
 * A splitter splits a file into rows as its bytes arrive. Its methods throw TransferError if the file as a whole is
 * malformed.
 */
export interface Splitter {
  push(chunk: Buffer): RawRow[];
  end(): RawRow[];
}

/** A file without line breaks must not fill the memory. */
export const MAXIMUM_ROW_BYTES = 1_048_576;
const CHUNK_BYTES = 262_144;

export const tooLong = (number: number, maximumBytes: number = MAXIMUM_ROW_BYTES): RawRow => ({
  number,
  problem: { field: '', reason: `is longer than ${maximumBytes} bytes.` },
});

/** PostgreSQL can store neither a NUL nor a lone surrogate in a `text` value. */
export const NUL_PROBLEM: RowProblem = { field: '', reason: 'contains a NUL or a lone surrogate.' };

/** Decodes a row. The result is a problem if the row contains a NUL or is not UTF-8. */
export function rowOf(number: number, bytes: Buffer): RawRow {
  if (bytes.includes(0)) return { number, problem: NUL_PROBLEM };
  if (isUtf8(bytes)) return { number, text: bytes.toString('utf8') };
  return { number, problem: { field: '', reason: 'is not UTF-8.' } };
}

const BYTE_ORDER_MARK = Buffer.of(0xef, 0xbb, 0xbf);

export const withoutMark = (first: Buffer): Buffer =>
  first.subarray(0, 3).equals(BYTE_ORDER_MARK) ? first.subarray(3) : first;

/** `read` gets the number of bytes read so far. */
export async function* rawRows(
  path: string,
  splitter: Splitter,
  read: (bytes: number) => void = () => undefined,
): AsyncGenerator<readonly RawRow[]> {
  let bytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
    const rows = splitter.push(bytes === 0 ? withoutMark(chunk) : chunk);
    bytes += chunk.length;
    read(bytes);
    if (rows.length > 0) yield rows;
  }
  const last = splitter.end();
  if (last.length > 0) yield last;
}
