import { randomInt } from 'node:crypto';
import type { PasswordPolicy } from '../../../kernel/words/password-policy.ts';
import { checkPassword, type PasswordOwner } from './password-rules.ts';

// The alphabets leave out letters and digits that people confuse.
const LOWER_CASE = 'abcdefghijkmnpqrstuvwxyz';
const UPPER_CASE = 'ABCDEFGHJKLMNPQRSTUVWXYZ';
const NUMBERS = '23456789';
const SYMBOLS = '!#%*+-=?@_';
const TEMPORARY_PASSWORD_CHARACTERS = 16;

const pick = (alphabet: string, length: number): string[] =>
  Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length)));

function shuffled(items: readonly string[]): string {
  const rest = [...items];
  let text = '';
  while (rest.length > 0) text += rest.splice(randomInt(rest.length), 1).join('');
  return text;
}

export function generateTempPassword(policy: PasswordPolicy, owner: PasswordOwner): string {
  const { minLength, minLowerCase, minUpperCase, minNumber, minSymbol } = policy.complexity;
  const needed = [
    ...pick(LOWER_CASE, Math.max(1, minLowerCase)),
    ...pick(UPPER_CASE, Math.max(1, minUpperCase)),
    ...pick(NUMBERS, Math.max(1, minNumber)),
    ...pick(SYMBOLS, minSymbol),
  ];
  const length = Math.max(TEMPORARY_PASSWORD_CHARACTERS, minLength, needed.length);
  for (let tries = 0; tries < 100; tries += 1) {
    const filling = pick(LOWER_CASE + UPPER_CASE + NUMBERS, length - needed.length);
    const password = shuffled([...needed, ...filling]);
    if (checkPassword(policy, password, owner).length === 0) return password;
  }
  throw new Error('no password satisfies the policy');
}
