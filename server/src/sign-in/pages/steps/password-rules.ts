import type { PasswordPolicy } from '../../../kernel/words/password-policy.ts';

export interface PasswordRule {
  readonly message:
    | 'common'
    | 'firstName'
    | 'history'
    | 'lastName'
    | 'length'
    | 'lower'
    | 'number'
    | 'run'
    | 'symbol'
    | 'upper'
    | 'username';
  readonly count: number;
  /** The `reason` of the error cause if a password violates the rule. */
  readonly reason: string;
}

export function listedRules({ age, complexity }: PasswordPolicy): PasswordRule[] {
  const {
    dictionary,
    excludeAttributes,
    excludeUsername,
    maxConsecutiveCharacters,
    minLength,
    minLowerCase,
    minNumber,
    minSymbol,
    minUpperCase,
  } = complexity;
  const flag = (isOn: boolean): number => (isOn ? 1 : 0);
  const without = (name: 'firstName' | 'lastName'): number => flag(excludeAttributes.includes(name));
  // biome-ignore format: the columns are the documentation
  const rules: PasswordRule[] = [
    { message: 'length',    reason: 'LENGTH_MINIMUM',                  count: Math.max(1, minLength) },
    { message: 'lower',     reason: 'LOWER_CASE_REQUIRED',             count: minLowerCase },
    { message: 'upper',     reason: 'UPPER_CASE_REQUIRED',             count: minUpperCase },
    { message: 'number',    reason: 'NUMBER_REQUIRED',                 count: minNumber },
    { message: 'symbol',    reason: 'SYMBOL_REQUIRED',                 count: minSymbol },
    { message: 'username',  reason: 'USERNAME_EXCLUDED',               count: flag(excludeUsername) },
    { message: 'firstName', reason: 'FIRST_NAME_EXCLUDED',             count: without('firstName') },
    { message: 'lastName',  reason: 'LAST_NAME_EXCLUDED',              count: without('lastName') },
    { message: 'run',       reason: 'CONSECUTIVE_CHARACTERS_EXCEEDED', count: maxConsecutiveCharacters },
    { message: 'common',    reason: 'COMMON_PASSWORD',                 count: flag(dictionary.common.exclude) },
    { message: 'history',   reason: 'PASSWORD_HISTORY',                count: age.historyCount },
  ];
  return rules.filter(({ count }) => count > 0);
}
