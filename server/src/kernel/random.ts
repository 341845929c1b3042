import { randomBytes } from 'node:crypto';

const POOL_BYTES = 4_096;
let pool = Buffer.alloc(0);

/**
 * Returns random bytes for ids and salts. They come from one call to `randomBytes` for hundreds of ids, because such a
 * call costs more than the rest of a request id. No byte is returned twice. Secrets are made by `randomBytes` itself,
 * so that none waits in memory.
 */
export function pooledRandomBytes(size: number): Buffer {
  if (pool.length < size) pool = randomBytes(Math.max(POOL_BYTES, size));
  const bytes = pool.subarray(0, size);
  pool = pool.subarray(size);
  return bytes;
}
