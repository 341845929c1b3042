import { describe, expect, test } from 'vitest';
import { ApiError } from '../../kernel/errors/errors.ts';
import { readSide } from './rules.ts';

function causesOf(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'E0000001') return error.causes.map((cause) => cause.errorSummary);
    throw error;
  }
  return [];
}

describe('readSide', () => {
  test('trims titles and keeps names as they are', () => {
    expect(readSide('primary', { name: 'manager', title: ' Manager ' })).toEqual({
      name: 'manager',
      title: 'Manager',
      description: null,
    });
  });

  test.each(['constructor', '__proto__', 'toString', '_a1'])('takes the name %s like all others', (name) => {
    expect(readSide('primary', { name, title: 'A' }).name).toBe(name);
  });

  test.each(['', '1st', 'a-b', 'a b', 'a.b', 'é', 'x'.repeat(101)])('refuses the name %j', (name) => {
    expect(causesOf(() => readSide('associated', { name, title: 'A' }))).toHaveLength(1);
  });

  test('tells every fault', () => {
    const side = { name: '1', title: ' ', description: 'x'.repeat(1_025) };
    expect(causesOf(() => readSide('primary', side))).toHaveLength(3);
    expect(causesOf(() => readSide('primary', { name: 'a', title: 'x'.repeat(256) }))).toHaveLength(1);
  });
});
