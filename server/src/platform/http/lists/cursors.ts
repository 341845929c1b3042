import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { invalid } from '../../../kernel/errors/errors.ts';

export const MAXIMUM_CURSOR_LENGTH = 2_048;

const VERSION = 1;
const MAC_BYTES = 16;
const MINIMUM_SECRET_BYTES = 32;

export interface CursorScope {
  readonly orgId: string;
  /** A name that only this list has in the org, such as its operationId followed by the ids in its path. */
  readonly list: string;
  /** The query. `after`, `before`, `limit` and the order of parameters with different names do not matter. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** The parameter that carries the cursor, and therefore the direction of reading. */
  readonly direction: 'after' | 'before';
}

export interface CursorCodec {
  /** Makes a cursor from any JSON value, as URL-safe text without commas. */
  encode(scope: CursorScope, payload: unknown): string;
  /** Throws 400 E0000001 unless the cursor is valid for the scope. */
  decode(scope: CursorScope, text: string): unknown;
}

const PLACE = new Set(['after', 'before', 'limit']);

const compare = (left: string, right: string): number => (left < right ? -1 : Number(left > right));

/** Hashes the query. Each part follows its length, so that `a` and `bc` do not hash like `ab` and `c`. */
function digestOfQuery(query: CursorScope['query']): Buffer {
  const hash = createHash('sha256');
  const defining = query.filter(([name]) => !PLACE.has(name));
  // The sort is stable, so repeated parameters keep their order, which may be meaningful.
  for (const [name, value] of defining.toSorted(([left], [right]) => compare(left, right))) {
    for (const part of [name, value]) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  }
  return hash.digest();
}

function macOf(secret: Buffer, scope: CursorScope, payload: Buffer): Buffer {
  const mac = createHmac('sha256', secret);
  const parts = [`gatehouse-cursor-v${VERSION}`, scope.orgId, scope.list, scope.direction];
  for (const part of [...parts, digestOfQuery(scope.query), payload]) {
    mac.update(`${Buffer.byteLength(part)}:`).update(part);
  }
  return mac.digest().subarray(0, MAC_BYTES);
}

function open(secret: Buffer, scope: CursorScope, text: string): Buffer | null {
  if (text.length > MAXIMUM_CURSOR_LENGTH) return null;
  const bytes = Buffer.from(text, 'base64url');
  // Several base64 strings decode to the same bytes. Only the one that `encode` makes is valid.
  if (bytes.length <= 1 + MAC_BYTES || bytes[0] !== VERSION || bytes.toString('base64url') !== text) return null;
  const payload = bytes.subarray(1 + MAC_BYTES);
  return timingSafeEqual(bytes.subarray(1, 1 + MAC_BYTES), macOf(secret, scope, payload)) ? payload : null;
}

/**
 * Creates the codec of keyset cursors. A cursor holds the key of the row at the edge of a page. The next page therefore
 * starts right after that row, however many rows were inserted or deleted in the meantime. An offset would skip or
 * repeat rows.
 *
 * The payload is authenticated but not encrypted: a cursor is base64url of the version, a MAC and JSON. The MAC covers
 * the org, the list, the direction and a digest of the query, so that a cursor is refused in any other place. A list
 * may therefore trust the form of a decoded payload, and put its values into a keyset condition without checking them
 * again. The digest leaves out parameters that only place or size the page. It ignores the order of parameters with
 * different names, because clients rebuild queries.
 *
 * Cursors made with an `earlier` secret remain valid, so that lists do not break while the master key is being changed.
 * Throws an error if a secret has fewer than 32 bytes.
 */
export function createCursorCodec(secret: Buffer, ...earlier: readonly Buffer[]): CursorCodec {
  if ([secret, ...earlier].some(({ length }) => length < MINIMUM_SECRET_BYTES)) {
    throw new Error(`a cursor secret has at least ${MINIMUM_SECRET_BYTES} bytes`);
  }
  return {
    encode(scope, payload) {
      // JSON has no undefined, so null replaces it.
      const content = Buffer.from(JSON.stringify(payload ?? null));
      const text = Buffer.concat([Buffer.of(VERSION), macOf(secret, scope, content), content]).toString('base64url');
      if (text.length > MAXIMUM_CURSOR_LENGTH) throw new Error('a cursor payload is too long');
      return text;
    },
    decode(scope, text) {
      const opened = [secret, ...earlier].map((made) => open(made, scope, text));
      const content = opened.find((found) => found !== null);
      if (content === undefined || content === null) {
        throw invalid(scope.direction, `must be a cursor from the answer to the same request.`);
      }
      return JSON.parse(content.toString('utf8')) as unknown;
    },
  };
}
