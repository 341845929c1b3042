/** A page ends behind the row with which it has so many: what it takes to write it is taken from all orgs. */
export const MAXIMUM_PAGE_BYTES = 8_000_000;

/** About what a row takes on the wire. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 2;
  if (typeof value !== 'object' || value === null || value instanceof Date) return 8;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  let bytes = 2;
  for (const [name, member] of Object.entries(value)) bytes += name.length + bytesOf(member);
  return bytes;
}

/** How many of these rows, from the first one on, a page holds: one at least, or a list would not go on behind it. */
export function rowsWithin(rows: readonly unknown[], maximumBytes = MAXIMUM_PAGE_BYTES): number {
  let bytes = 0;
  for (const [index, row] of rows.entries()) {
    bytes += bytesOf(row);
    if (bytes > maximumBytes) return Math.max(1, index);
  }
  return rows.length;
}
