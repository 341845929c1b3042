import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PasswordPolicy } from '../../../kernel/words/password-policy.ts';
import { checkPassword, DEFAULT_PASSWORD_POLICY, singleCause } from './password-rules.ts';
import { generateTempPassword } from './temp-password.ts';

const OWNER = { login: 'isaac.brock@example.com', firstName: 'Isaac', lastName: 'Brock' };
const withComplexity = (change: Partial<PasswordPolicy['complexity']>): PasswordPolicy => ({
  ...DEFAULT_PASSWORD_POLICY,
  complexity: { ...DEFAULT_PASSWORD_POLICY.complexity, ...change },
});
const reasons = (password: string, policy = DEFAULT_PASSWORD_POLICY, owner = OWNER): (string | undefined)[] =>
  checkPassword(policy, password, owner).map(({ reason }) => reason);

describe('checkPassword', () => {
  test('says what it says on the wire, one cause per violated rule', () => {
    const place = { location: 'credentials.password.value', locationType: 'body', domain: 'user' };
    expect(checkPassword(DEFAULT_PASSWORD_POLICY, 'aaaa', OWNER)).toEqual([
      {
        errorSummary: 'password: Passwords must be at least 8 characters in length',
        reason: 'LENGTH_MINIMUM',
        ...place,
      },
      {
        errorSummary: 'password: Password requirements: at least 0 characters, an uppercase letter.',
        reason: 'UPPER_CASE_REQUIRED',
        ...place,
      },
      {
        errorSummary: 'password: Password requirements: at least 0 characters, a number.',
        reason: 'NUMBER_REQUIRED',
        ...place,
      },
    ]);
  });

  test.each([
    ['Tr0ub4dor', []],
    ['Tr0ub4d', ['LENGTH_MINIMUM']],
    ['TR0UB4DOR', ['LOWER_CASE_REQUIRED']],
    ['tr0ub4dor', ['UPPER_CASE_REQUIRED']],
    ['Troubador', ['NUMBER_REQUIRED']],
    ['', ['LENGTH_MINIMUM', 'LOWER_CASE_REQUIRED', 'UPPER_CASE_REQUIRED', 'NUMBER_REQUIRED']],
    ['Tr0ub\0dor', ['CHARACTER_NOT_ALLOWED']],
    ['Tr0ub\ud800dor', ['CHARACTER_NOT_ALLOWED']],
    ['Äpfelböden٣', []],
    ['Жук-и-жаба-7', []],
  ])('%j violates %j', (password, expected) => {
    expect(reasons(password)).toEqual(expected);
  });

  test.each([
    [72, []],
    [73, ['LENGTH_MAXIMUM']],
    [1000, ['LENGTH_MAXIMUM']],
    [100_000, ['LENGTH_MAXIMUM']],
  ])('of %i characters: %j', (length, expected) => {
    expect(reasons(`Aa1${'é'.repeat(length - 3)}`)).toEqual(expected);
  });

  test('counts what a person sees as one character once, however it is spelt', () => {
    expect(reasons(`Aa1${'e\u0301'.repeat(69)}`)).toEqual([]);
    expect(reasons(`Aa1${'e\u0301'.repeat(4)}`)).toEqual(['LENGTH_MINIMUM']);
  });

  test('an empty password is refused by the laxest policy', () => {
    const lax = withComplexity({ minLength: 0, minLowerCase: 0, minUpperCase: 0, minNumber: 0 });
    expect(reasons('', lax)).toEqual(['LENGTH_MINIMUM']);
    expect(reasons('x', lax)).toEqual([]);
  });

  test.each(['!', '-', '€', '°'])('takes %s for a symbol, and a blank for none', (symbol) => {
    const policy = withComplexity({ minSymbol: 1 });
    expect(reasons(`Tr0ub4dor${symbol}`, policy)).toEqual([]);
    expect(reasons('Tr0ub4dor ', policy)).toEqual(['SYMBOL_REQUIRED']);
  });

  test('counts as many as the policy asks for', () => {
    expect(reasons('Tr0ub4dor', withComplexity({ minNumber: 3 }))).toEqual(['NUMBER_REQUIRED']);
    expect(reasons('Tr0ub4d0r', withComplexity({ minNumber: 3 }))).toEqual([]);
    expect(reasons('Tr0UB4DOR', withComplexity({ minLowerCase: 2 }))).toEqual(['LOWER_CASE_REQUIRED']);
    expect(reasons('Tr0uB4DOR', withComplexity({ minLowerCase: 2 }))).toEqual([]);
  });

  test.each([
    ['isaac.brock@example.com', '1xISAACx9Q', ['USERNAME_EXCLUDED']],
    ['isaac.brock@example.com', 'my1BroCkQQ', ['USERNAME_EXCLUDED']],
    ['isaac.brock@example.com', 'Example-2024', ['USERNAME_EXCLUDED']],
    ['isaac.brock@example.com', 'Company-2024', []],
    ['ab#cd@x.io', 'Xab#cd@x.io1', ['USERNAME_EXCLUDED']],
    ['ab#cd@x.io', 'Xab#cdxio123', []],
    ['straße@example.com', 'My1STRASSEx', ['USERNAME_EXCLUDED']],
  ])('of %s, %s violates %j', (login, password, expected) => {
    expect(reasons(password, DEFAULT_PASSWORD_POLICY, { ...OWNER, login })).toEqual(expected);
    expect(reasons(password, withComplexity({ excludeUsername: false }), { ...OWNER, login })).toEqual([]);
  });

  test('excludes names where the policy says so', () => {
    const policy = withComplexity({ excludeUsername: false, excludeAttributes: ['firstName', 'lastName'] });
    expect(reasons('iSaacBrock1', policy)).toEqual(['FIRST_NAME_EXCLUDED', 'LAST_NAME_EXCLUDED']);
    expect(checkPassword(policy, 'iSaacBrock1', { login: 'someone@example.com', firstName: null })).toEqual([]);
  });
});

describe('singleCause', () => {
  test('lists every requirement of the policy', () => {
    expect(singleCause(DEFAULT_PASSWORD_POLICY)).toEqual({
      errorSummary:
        'Password requirements were not met. Password requirements: at least 8 characters, a lowercase letter, ' +
        'an uppercase letter, a number, no parts of your username.',
    });
    expect(singleCause(withComplexity({ minNumber: 0, minSymbol: 1, excludeUsername: false })).errorSummary).toMatch(
      /letter, a symbol\.$/,
    );
  });
});

describe('generateTempPassword', () => {
  test('satisfies any policy that can be satisfied', () => {
    const few = fc.nat({ max: 4 });
    const complexity = fc.record({
      minLength: fc.nat({ max: 72 }),
      minLowerCase: few,
      minUpperCase: few,
      minNumber: few,
      minSymbol: few,
    });
    fc.assert(
      fc.property(complexity, (change) => {
        const policy = withComplexity(change);
        expect(checkPassword(policy, generateTempPassword(policy, OWNER), OWNER)).toEqual([]);
      }),
    );
  });

  test('never gives the same one twice', () => {
    const made = Array.from({ length: 100 }, () => generateTempPassword(DEFAULT_PASSWORD_POLICY, OWNER));
    expect(new Set(made).size).toBe(100);
  });

  test('refuses a policy that nothing satisfies', () => {
    expect(() => generateTempPassword(withComplexity({ minLength: 73 }), OWNER)).toThrow(/no password/);
  });
});
