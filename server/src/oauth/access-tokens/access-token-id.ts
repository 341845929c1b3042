import { pooledRandomBytes } from '../../kernel/random.ts';

const INSTANT_BYTES = 8;
const RANDOM_BYTES = 24;

/** The kind of a token, which is the prefix of its id (contract section 7). */
export type TokenPrefix = 'AT.' | 'ID.';

/** The base64url form of 32 bytes. Two bits of the last character are unused and therefore zero. */
const FORM = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/**
 * Makes the `jti` of a token: a prefix and 43 URL-safe characters (contract section 7). The first eight bytes are the
 * time of issue in microseconds. `issuedAt` is the database's time at which the rows that the token depends on were
 * read. Those rows must be locked by then, or locked and compared later (see `assuming`).
 */
export function newTokenId(prefix: TokenPrefix, issuedAt: Date): string {
  const instant = Buffer.alloc(INSTANT_BYTES);
  instant.writeBigUInt64BE(BigInt(issuedAt.getTime()) * 1_000n);
  return prefix + Buffer.concat([instant, pooledRandomBytes(RANDOM_BYTES)]).toString('base64url');
}

export const newAccessTokenId = (issuedAt: Date): string => newTokenId('AT.', issuedAt);

/** Reads the time of issue from a `jti`, to the millisecond. Returns null for an id of another form or prefix. */
export function issuedAtOf(jti: string, prefix: TokenPrefix = 'AT.'): Date | null {
  const text = jti.slice(prefix.length);
  if (!jti.startsWith(prefix) || !FORM.test(text)) return null;
  const microseconds = Buffer.from(text, 'base64url').readBigUInt64BE();
  const issuedAt = new Date(Number(microseconds / 1_000n));
  return Number.isNaN(issuedAt.getTime()) ? null : issuedAt;
}
