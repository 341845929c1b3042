import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../kernel/errors/errors.ts';
import { readCredentials } from './credential-rules.ts';

const app = (signOnMode: string, scheme: string | null = null) => ({ signOnMode, scheme });

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
  return 'none';
}

describe('readCredentials', () => {
  test.each([null, undefined, {}, { password: {} }, { password: null }])('%j says nothing', (given) => {
    const { userName, password } = readCredentials(app('OPENID_CONNECT'), given);
    expect([userName, password]).toEqual([undefined, undefined]);
  });

  test('null takes a name or a password away', () => {
    const given = { userName: null, password: { value: null } };
    expect(readCredentials(app('BROWSER_PLUGIN'), given)).toEqual({ userName: null, password: null });
  });

  test.each(['AUTO_LOGIN', 'BASIC_AUTH', 'BROWSER_PLUGIN', 'SECURE_PASSWORD_STORE'])('%s takes a password', (mode) => {
    const given = { userName: 'ada', password: { value: 'secret' } };
    expect(readCredentials(app(mode), given)).toEqual({ userName: 'ada', password: 'secret' });
  });

  test.each([
    ['a shared password', app('BROWSER_PLUGIN', 'SHARED_USERNAME_AND_PASSWORD')],
    ['the password of the directory', app('BROWSER_PLUGIN', 'EXTERNAL_PASSWORD_SYNC')],
  ])('refuses a password for %s', (_, scheme) => {
    expect(codeOf(() => readCredentials(scheme, { password: { value: 'secret' } }))).toBe('E0000041');
  });

  test.each(['OPENID_CONNECT', 'SAML_2_0', 'BOOKMARK'])('drops the password of an app of the mode %s', (mode) => {
    const given = { userName: 'ada', password: { value: 'secret' } };
    expect(readCredentials(app(mode), given)).toEqual({ userName: 'ada', password: undefined });
  });

  test('refuses a name where all have one', () => {
    const shared = app('AUTO_LOGIN', 'SHARED_USERNAME_AND_PASSWORD');
    expect(codeOf(() => readCredentials(shared, { userName: 'ada' }))).toBe('E0000041');
  });

  test.each(['', 'x'.repeat(1_001)])('refuses a password of a wrong length', (value) => {
    expect(codeOf(() => readCredentials(app('AUTO_LOGIN'), { password: { value } }))).toBe('E0000001');
  });
});
