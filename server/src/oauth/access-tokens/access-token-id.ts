import { randomBytes } from 'node:crypto';

const INSTANT_BYTES = 8;
const RANDOM_BYTES = 24;

/** The kind of a token, which is the prefix of its id (contract section 7). */
export type TokenPrefix = 'AT.' | 'ID.';

/** 43 characters hold 32 bytes and two bits, which are zero. */
const FORM = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/**
 * The `jti` of a token: a prefix and 43 url-safe characters (contract section 7). Its first eight bytes are the
 * instant of issue in microseconds, because `iat` has whole seconds and a watermark raised within the same second must
 * tell the tokens before it from those after (design section 7). The rest, 192 bits, is random.
 *
 * @param issuedAt by the database's clock, read under the locks of whatever the token depends on
 */
export function newTokenId(prefix: TokenPrefix, issuedAt: Date): string {
  const instant = Buffer.alloc(INSTANT_BYTES);
  instant.writeBigUInt64BE(BigInt(issuedAt.getTime()) * 1_000n);
  return prefix + Buffer.concat([instant, randomBytes(RANDOM_BYTES)]).toString('base64url');
}

export const newAccessTokenId = (issuedAt: Date): string => newTokenId('AT.', issuedAt);

/** The time of issue inside a `jti`, to the millisecond; null for text that `newTokenId` did not make. */
export function issuedAtOf(jti: string, prefix: TokenPrefix = 'AT.'): Date | null {
  const text = jti.slice(prefix.length);
  if (!jti.startsWith(prefix) || !FORM.test(text)) return null;
  const microseconds = Buffer.from(text, 'base64url').readBigUInt64BE();
  const issuedAt = new Date(Number(microseconds / 1_000n));
  return Number.isNaN(issuedAt.getTime()) ? null : issuedAt;
}
