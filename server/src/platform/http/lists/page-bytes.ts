/** The approximate maximum size of a page. Serializing a large page delays the requests of all orgs. */
export const MAXIMUM_PAGE_BYTES = 8_000_000;

function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 2;
  if (typeof value !== 'object' || value === null || value instanceof Date) return 8;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  let bytes = 2;
  for (const [name, member] of Object.entries(value)) bytes += name.length + bytesOf(member);
  return bytes;
}

/**
 * Counts the first rows that fit on a page. The first row always counts, because the list could not continue otherwise.
 */
export function rowsWithin(rows: readonly unknown[], maximumBytes = MAXIMUM_PAGE_BYTES): number {
  let bytes = 0;
  for (const [index, row] of rows.entries()) {
    bytes += bytesOf(row);
    if (bytes > maximumBytes) return Math.max(1, index);
  }
  return rows.length;
}
