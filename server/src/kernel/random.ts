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
