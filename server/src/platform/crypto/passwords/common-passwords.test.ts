import { describe, expect, test } from 'vitest';
import { isCommonPassword } from './common-passwords.ts';

describe('isCommonPassword', () => {
  test.each([
    'password',
    'PassWord',
    'ｐａｓｓｗｏｒｄ',
    'P@ssw0rd',
    'password1',
    'Password123!',
    'Dragon2024',
    'passwordpassword',
    'passwordpasswordpass',
    '1234567890',
    '123456789012345678901234567890',
    'abcdefghijklmnop',
    'ZYXWVUTSRQPONML',
    'aaaaaaaaaaaaaaaa',
    'abababababababab',
    'qwertyuiop',
    'iloveyou!',
  ])('%s is', (password) => expect(isCommonPassword(password)).toBe(true));

  test.each([
    'correct horse battery staple',
    'Tr0ub4dor&3 and more',
    'password and some words behind it',
    'dragon84719264',
    'wohnzimmerlampenschirm',
    'x7Gq!pL2#vN9',
    '密码管理员的长句子也可以',
  ])('%s is not', (password) => expect(isCommonPassword(password)).toBe(false));

  test('says it at once of the longest there can be', () => {
    const begun = performance.now();
    for (let n = 0; n < 200; n += 1) isCommonPassword(`${'ab'.repeat(143)}${n}`);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});
