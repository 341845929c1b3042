import { createHash } from 'node:crypto';
import { valueKey } from '../kernel/texts/text.ts';

/** The maximum length of a key without a digest, in UTF-16 units. This length bounds index entries and cursors. */
export const MAXIMUM_KEY_CHARACTERS = 200;

/**
 * Makes the key of a string: the folded string or, if that is too long, its beginning and a digest. Keys sort as the
 * folded strings do, except those of long strings that begin alike.
 */
export function textKey(text: string): string {
  const key = valueKey(text);
  if (key.length <= MAXIMUM_KEY_CHARACTERS) return key;
  return key.slice(0, MAXIMUM_KEY_CHARACTERS) + createHash('sha256').update(key).digest('hex');
}

/** Makes the order-preserving key of an instant. The UTC form has the same length for all years from 0 to 9999. */
export const dateKey = (date: Date): string => date.toISOString();

/**
 * Makes the order-preserving key of a finite number: its IEEE 754 form as hexadecimal digits, with some bits inverted.
 */
export function numberKey(number: number): string {
  const bytes = Buffer.alloc(8);
  // Minus zero equals zero, so both must have the same key.
  bytes.writeDoubleBE(number === 0 ? 0 : number);
  const flipped = number < 0 ? 0xff : 0;
  for (const [at, byte] of bytes.entries()) bytes[at] = byte ^ (at === 0 ? flipped | 0x80 : flipped);
  return bytes.toString('hex');
}

export function keyOf(value: string | number | boolean | Date): string {
  if (value instanceof Date) return dateKey(value);
  return typeof value === 'number' ? numberKey(value) : textKey(String(value));
}

export interface AttributeRow {
  readonly attributeId: number;
  readonly valueKey: string;
}

const identity = (row: AttributeRow): string => `${row.attributeId}:${row.valueKey}`;

const lacking = (rows: readonly AttributeRow[], others: readonly AttributeRow[]): AttributeRow[] => {
  const known = new Set(others.map(identity));
  const distinct = new Map(rows.map((row) => [identity(row), row]));
  return [...distinct].filter(([key]) => !known.has(key)).map(([, row]) => row);
};

/** Returns the index rows that an update has to remove and to add, each once. */
export const changedRows = (
  before: readonly AttributeRow[],
  after: readonly AttributeRow[],
): { removed: AttributeRow[]; added: AttributeRow[] } => ({
  removed: lacking(before, after),
  added: lacking(after, before),
});
