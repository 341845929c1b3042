import { DamagedSegmentError } from './bytes.ts';

// All numbers of a column take the same number of bytes, highest byte first. A reader can therefore fetch the numbers
// of some events without the rest of the column.

/** Returns the number of bytes that numbers up to `maximum` need. It is 0 if all numbers are 0. */
export function widthFor(maximum: number): number {
  let width = 0;
  for (let rest = maximum; rest > 0; rest = Math.floor(rest / 0x100)) width += 1;
  return width;
}

export function packNumbers(values: readonly number[], width: number): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * width);
  for (const [index, value] of values.entries()) {
    let rest = value;
    for (let at = (index + 1) * width - 1; at >= index * width; at -= 1) {
      bytes[at] = rest % 0x100;
      rest = Math.floor(rest / 0x100);
    }
  }
  return bytes;
}

/** Reads the number at an index of a column, or of a slice of a column. */
export function unpackNumber(bytes: Uint8Array, index: number, maximum: number): number {
  const width = widthFor(maximum);
  if ((index + 1) * width > bytes.length) throw new DamagedSegmentError('a column ends too early');
  let value = 0;
  for (let at = index * width; at < (index + 1) * width; at += 1) value = value * 0x100 + (bytes[at] ?? 0);
  if (value > maximum) throw new DamagedSegmentError('a number in a column is too large');
  return value;
}
