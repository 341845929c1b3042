const TEXT_TYPE = 25;
const HEADER_BYTES = 20;
const NULL_LENGTH = -1;

const written = (value: string | Uint8Array): Uint8Array =>
  typeof value === 'string' ? Buffer.from(value, 'utf8') : value;

/** Encodes texts (in UTF-8) as PostgreSQL's binary `text[]`. The statement must cast its parameter (`$1::text[]`). */
export function textArray(values: readonly (string | Uint8Array | null)[]): Buffer {
  const items = values.map((value) => (value === null ? null : written(value)));
  const size = items.reduce((sum, item) => sum + 4 + (item?.length ?? 0), HEADER_BYTES);
  const bytes = Buffer.allocUnsafe(size);
  bytes.writeInt32BE(items.length === 0 ? 0 : 1, 0);
  bytes.writeInt32BE(items.includes(null) ? 1 : 0, 4);
  bytes.writeInt32BE(TEXT_TYPE, 8);
  bytes.writeInt32BE(items.length, 12);
  bytes.writeInt32BE(1, 16);
  // An empty array has no dimensions and no bounds, so it ends after its type.
  if (items.length === 0) return bytes.subarray(0, 12);
  let at = HEADER_BYTES;
  for (const item of items) {
    bytes.writeInt32BE(item === null ? NULL_LENGTH : item.length, at);
    at += 4;
    if (item === null) continue;
    bytes.set(item, at);
    at += item.length;
  }
  return bytes;
}
