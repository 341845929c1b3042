const TYPES = { integer: 23, text: 25, timestamptz: 1184, uuid: 2950 } as const;
const HEADER_BYTES = 20;
const NULL_LENGTH = -1;
/** PostgreSQL counts microseconds from 2000-01-01. */
const EPOCH_MILLISECONDS = Date.UTC(2000, 0, 1);

const bytesOf = (value: string | Uint8Array): number =>
  typeof value === 'string' ? Buffer.byteLength(value) : value.length;

/** Writes a value, and returns the place behind it. */
function write(value: string | Uint8Array, to: Buffer, at: number): number {
  if (typeof value === 'string') return at + to.write(value, at);
  to.set(value, at);
  return at + value.length;
}

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
  const size = values.reduce<number>((sum, value) => sum + 4 + (value === null ? 0 : bytesOf(value)), 0);
  const bytes = withHeader(TYPES.text, values.length, size, values.includes(null));
  let at = HEADER_BYTES;
  for (const value of values) {
    if (value === null) {
      at = bytes.writeInt32BE(NULL_LENGTH, at);
      continue;
    }
    const end = write(value, bytes, at + 4);
    bytes.writeInt32BE(end - at - 4, at);
    at = end;
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
