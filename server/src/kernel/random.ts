import { randomBytes } from 'node:crypto';

const POOL_BYTES = 4_096;
let pool = Buffer.alloc(0);

/**
 * Returns random bytes for ids and salts. One call to `randomBytes` serves hundreds of ids, because such a call is
 * expensive. No byte is returned twice. Secrets need `randomBytes` itself, so that none waits in memory.
 */
export function pooledRandomBytes(size: number): Buffer {
  if (pool.length < size) pool = randomBytes(Math.max(POOL_BYTES, size));
  const bytes = pool.subarray(0, size);
  pool = pool.subarray(size);
  return bytes;
}

/** Three bytes give four characters, so with a multiple of three, every character has 6 random bits. */
const TEXT_BYTES = 3_072;
let text = '';
let drawn = 0;

/**
 * Returns random characters of base64url, with 6 bits each. One conversion serves more than a hundred ids. No character
 * is returned twice.
 */
export function pooledRandomText(length: number): string {
  if (text.length - drawn < length) {
    text = randomBytes(Math.max(TEXT_BYTES, 3 * Math.ceil(length / 4))).toString('base64url');
    drawn = 0;
  }
  drawn += length;
  return text.slice(drawn - length, drawn);
}
