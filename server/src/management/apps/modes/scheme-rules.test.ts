import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../kernel/errors/errors.ts';
import { readScheme, SCHEMES, type SchemeCredentials } from './scheme-rules.ts';

const SHARED = 'SHARED_USERNAME_AND_PASSWORD';
const shared = { scheme: SHARED, userName: 'crew', password: { value: 'secret' } } as const;
const before: SchemeCredentials = { scheme: SHARED, revealPassword: false, userName: 'crew' };

function fieldsOf(run: () => unknown): string[] {
  try {
    run();
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.causes.map(({ errorSummary }) => errorSummary.split(': ')[0] ?? '');
  }
}

describe('schemes', () => {
  test('people set their own name and password unless something else is said', () => {
    const credentials = { scheme: 'EDIT_USERNAME_AND_PASSWORD', revealPassword: false };
    for (const nothing of [undefined, null, {}, { userName: '', password: {} }]) {
      expect(readScheme(nothing, null)).toEqual({ credentials, password: null });
    }
  });

  test.each(SCHEMES.filter((scheme) => scheme !== SHARED))('%s keeps no name and no password', (scheme) => {
    expect(readScheme({ ...shared, scheme, revealPassword: true }, before)).toEqual({
      credentials: { scheme, revealPassword: true },
      password: null,
    });
  });

  test('a shared one needs both, and keeps the password that is there', () => {
    expect(readScheme(shared, null)).toEqual({ credentials: before, password: 'secret' });
    expect(readScheme({ scheme: SHARED, userName: 'other' }, before)).toEqual({
      credentials: { ...before, userName: 'other' },
      password: null,
    });
    const both = ['credentials.userName', 'credentials.password.value'];
    expect(fieldsOf(() => readScheme({ scheme: SHARED }, null))).toEqual(both);
    const another: SchemeCredentials = { scheme: 'EDIT_PASSWORD_ONLY', revealPassword: false };
    expect(fieldsOf(() => readScheme({ scheme: SHARED, userName: 'crew' }, another))).toEqual([both[1]]);
  });

  test.each<[string, object]>([
    ['credentials.scheme', { scheme: 'NONE' }],
    ['credentials.revealPassword', { revealPassword: 'yes' }],
    ['credentials.userName', { userName: 'x'.repeat(101) }],
    ['credentials.userName', { userName: 5 }],
    ['credentials.password', { password: 'secret' }],
    ['credentials.password.value', { password: { value: 5 } }],
    ['credentials.password.value', { password: { value: 'x'.repeat(1_025) } }],
  ])('%s: %j', (field, wrong) => {
    expect(fieldsOf(() => readScheme({ ...shared, ...wrong }, null))).toEqual([field]);
  });

  test('no refusal repeats the password', () => {
    expect(() => readScheme({ ...shared, password: { value: `hunter2${'x'.repeat(1_024)}` } }, null)).toThrow(
      expect.not.stringContaining('hunter2'),
    );
  });
});
