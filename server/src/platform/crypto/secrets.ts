import { hash, randomInt, timingSafeEqual } from 'node:crypto';
import { randomAlphanumeric } from '../../kernel/words/ids.ts';

const sha256 = (value: string | Uint8Array): Buffer => hash('sha256', value, 'buffer');

/** Hashes a secret, such as a token or session id, with SHA-256. Returns 32 bytes. */
export const hashSecret = (secret: string): Buffer => sha256(secret);

/** Makes a random secret from `[0-9A-Za-z]`. A character has 5.95 bits, so 43 characters have 256 bits. */
export const newSecret = (length = 43): string => randomAlphanumeric(length);

/** Compares two values by their hashes, in a time that does not depend on where they differ. */
export const constantTimeEqual = (one: string | Uint8Array, other: string | Uint8Array): boolean =>
  timingSafeEqual(sha256(one), sha256(other));

// The alphabet omits letters and digits that people confuse when reading them from a screen.
const TYPED_CHARACTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** Makes a password to be typed, with at least one lower-case letter, one upper-case letter and a digit. */
export function newPassword(length = 20): string {
  if (length < 3) throw new RangeError('A password of three kinds of characters has at least three');
  for (;;) {
    const characters = Array.from({ length }, () => TYPED_CHARACTERS.charAt(randomInt(TYPED_CHARACTERS.length)));
    const password = characters.join('');
    if (/[a-z]/.test(password) && /[A-Z]/.test(password) && /\d/.test(password)) return password;
  }
}
