import { randomBytes } from 'node:crypto';
import { hashSecret } from '../../platform/crypto/index.ts';

/** RFC 6749 4.1.2 recommends a lifetime of at most ten minutes. */
export const CODE_LIFETIME_SECONDS = 60;

const CODE = /^[A-Za-z0-9_-]{43}$/;

export function newAuthorizationCode(): { readonly code: string; readonly hash: Buffer } {
  const code = randomBytes(32).toString('base64url');
  return { code, hash: hashSecret(code) };
}

/** Returns null if the text does not have the form of our codes. */
export const hashOfCode = (code: string): Buffer | null => (CODE.test(code) ? hashSecret(code) : null);
