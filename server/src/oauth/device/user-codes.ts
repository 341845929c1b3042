import { createHmac, randomInt } from 'node:crypto';
import type { OrgId } from '../../kernel/words/ids.ts';

/** Letters that are easy to distinguish on any screen and form no words (RFC 8628 6.1). */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
/** 34 bits: with the limit of attempts, nobody can guess one in the minutes for which it is valid. */
export const USER_CODE_LETTERS = 8;

const CODE = new RegExp(`^[${ALPHABET}]{${USER_CODE_LETTERS}}$`);

export const newUserCode = (): string =>
  Array.from({ length: USER_CODE_LETTERS }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');

/** Reads a typed code, in either case and with any separators. Null means that it is not a code. */
export function readUserCode(text: string): string | null {
  const code = text.toUpperCase().replaceAll(/[\s\p{P}]/gu, '');
  return CODE.test(code) ? code : null;
}

/**
 * Hashes a code for lookup. A text this short could be guessed from a plain hash; hence a MAC, under a `key` with no
 * other use.
 */
export const hashOfUserCode = (key: Buffer, orgId: OrgId, code: string): Buffer =>
  createHmac('sha256', key).update(`${orgId}\0${code}`).digest();
