import { describe, expect, test } from 'vitest';
import { ApiError } from '../../kernel/errors/errors.ts';
import { changeGeneral } from './rules.ts';

function causesOf(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'E0000001') return error.causes.map((cause) => cause.errorSummary);
    throw error;
  }
  return [];
}

describe('changeGeneral', () => {
  const current = { companyName: 'Acme', profile: { city: 'Oslo', website: 'https://acme.example' } };

  test('merge keeps what is not given, and null takes away', () => {
    expect(changeGeneral(current, { city: null, state: ' Viken ' }, 'merge')).toEqual({
      companyName: 'Acme',
      profile: { state: 'Viken', website: 'https://acme.example' },
    });
  });

  test('replace empties what is not given', () => {
    expect(changeGeneral(current, { companyName: 'Ace' }, 'replace')).toEqual({ companyName: 'Ace', profile: {} });
  });

  test.each([
    ['no name on replace', { city: 'Oslo' }, 'replace'],
    ['a blank name', { companyName: ' ' }, 'merge'],
    ['no name', { companyName: null }, 'merge'],
    ['a long city', { city: 'x'.repeat(256) }, 'merge'],
    ['a script as address', { website: 'javascript:alert(1)' }, 'merge'],
    ['a help address without scheme', { endUserSupportHelpURL: 'acme.example' }, 'merge'],
  ] as const)('refuses %s', (_, input, mode) => {
    expect(causesOf(() => changeGeneral(current, input, mode))).toHaveLength(1);
  });
});
