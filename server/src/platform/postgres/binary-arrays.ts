const TYPES = { integer: 23, text: 25, timestamptz: 1184, uuid: 2950 } as const;
const HEADER_BYTES = 20;
const NULL_LENGTH = -1;
/** PostgreSQL counts microseconds from 2000-01-01. */
const EPOCH_MILLISECONDS = Date.UTC(2000, 0, 1);

const written = (value: string | Uint8Array): Uint8Array =>
  typeof value === 'string' ? Buffer.from(value, 'utf8') : value;

/** An empty array has no dimensions and no bounds, so it ends after its type. */
function withHeader(type: number, items: number, bytesOfItems: number, hasNulls = false): Buffer {
  const bytes = Buffer.allocUnsafe(items === 0 ? 12 : HEADER_BYTES + bytesOfItems);
  bytes.writeInt32BE(items === 0 ? 0 : 1, 0);
  bytes.writeInt32BE(hasNulls ? 1 : 0, 4);
  bytes.writeInt32BE(type, 8);
  if (items === 0) return bytes;
  bytes.writeInt32BE(items, 12);
  bytes.writeInt32BE(1, 16);
  return bytes;
}

/**
 * Encodes a `text[]` in PostgreSQL's binary form (array_recv), so that neither side escapes or parses text. The
 * statement must cast its parameter (`$1::text[]`). A `Uint8Array` must contain UTF-8.
 */
export function textArray(values: readonly (string | Uint8Array | null)[]): Buffer {
  const items = values.map((value) => (value === null ? null : written(value)));
  const size = items.reduce((sum, item) => sum + 4 + (item?.length ?? 0), 0);
  const bytes = withHeader(TYPES.text, items.length, size, items.includes(null));
  let at = HEADER_BYTES;
  for (const item of items) {
    at = bytes.writeInt32BE(item === null ? NULL_LENGTH : item.length, at);
    if (item === null) continue;
    bytes.set(item, at);
    at += item.length;
  }
  return bytes;
}

export function integerArray(values: Int32Array): Buffer {
  const bytes = withHeader(TYPES.integer, values.length, 8 * values.length);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = HEADER_BYTES;
  for (const value of values) {
    view.setInt32(at, 4);
    view.setInt32(at + 4, value);
    at += 8;
  }
  return bytes;
}

export function timestampArray(values: readonly Date[]): Buffer {
  const bytes = withHeader(TYPES.timestamptz, values.length, 12 * values.length);
  let at = HEADER_BYTES;
  for (const value of values) {
    at = bytes.writeInt32BE(8, at);
    at = bytes.writeBigInt64BE(BigInt(value.getTime() - EPOCH_MILLISECONDS) * 1_000n, at);
  }
  return bytes;
}

export function uuidArray(values: readonly string[]): Buffer {
  const bytes = withHeader(TYPES.uuid, values.length, 20 * values.length);
  let at = HEADER_BYTES;
  for (const value of values) {
    at = bytes.writeInt32BE(16, at);
    at += bytes.write(value.replaceAll('-', ''), at, 'hex');
  }
  return bytes;
}
