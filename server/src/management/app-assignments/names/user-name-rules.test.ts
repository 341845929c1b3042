import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../kernel/errors/errors.ts';
import { MAXIMUM_USER_NAME_LENGTH, readUserName } from './user-name-rules.ts';

describe('readUserName', () => {
  test('takes blanks away from the ends', () => expect(readUserName(' ada ')).toBe('ada'));
  test.each(['', '   ', 'x'.repeat(MAXIMUM_USER_NAME_LENGTH + 1)])('refuses %j', (text) => {
    expect(() => readUserName(text)).toThrow(ApiError);
  });
});
