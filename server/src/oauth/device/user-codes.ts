import { createHmac, randomInt } from 'node:crypto';
import type { OrgId } from '../../kernel/words/ids.ts';

/** Letters that are easy to distinguish and do not form words (RFC 8628 6.1). */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
/** A user code has 34 bits of entropy, which suffices because attempts are limited. */
export const USER_CODE_LETTERS = 8;

const CODE = new RegExp(`^[${ALPHABET}]{${USER_CODE_LETTERS}}$`);

export const newUserCode = (): string =>
  Array.from({ length: USER_CODE_LETTERS }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');

export function readUserCode(text: string): string | null {
  const code = text.toUpperCase().replaceAll(/[\s\p{P}]/gu, '');
  return CODE.test(code) ? code : null;
}

/** A user code is so short that guessing could reverse a plain hash of it. */
export const hashOfUserCode = (key: Buffer, orgId: OrgId, code: string): Buffer =>
  createHmac('sha256', key).update(`${orgId}\0${code}`).digest();
