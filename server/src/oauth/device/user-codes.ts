import { createHmac, randomInt } from 'node:crypto';
import type { OrgId } from '../../kernel/words/ids.ts';

/** Letters that are told apart on any screen and make no words (RFC 8628 6.1). */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
/** 34 bits: with the limit of tries out of reach in the minutes in which one is good. */
export const USER_CODE_LETTERS = 8;

const CODE = new RegExp(`^[${ALPHABET}]{${USER_CODE_LETTERS}}$`);

export const newUserCode = (): string =>
  Array.from({ length: USER_CODE_LETTERS }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');

/** What people type, in whichever case, with whatever stands between the letters; null: it is no code. */
export function readUserCode(text: string): string | null {
  const code = text.toUpperCase().replaceAll(/[\s\p{P}]/gu, '');
  return CODE.test(code) ? code : null;
}

/** What a code is found by. So short a text is guessed from a plain hash: `key` makes MACs and nothing else. */
export const hashOfUserCode = (key: Buffer, orgId: OrgId, code: string): Buffer =>
  createHmac('sha256', key).update(`${orgId}\0${code}`).digest();
