import { describe, expect, test } from 'vitest';
import { apiError } from '../../kernel/errors/errors.ts';
import { retryWhileUnavailable } from './retry.ts';

function failing(...errors: readonly Error[]): { readonly use: () => Promise<string>; readonly calls: () => number } {
  let calls = 0;
  const use = async (): Promise<string> => {
    const error = errors[calls];
    calls += 1;
    if (error !== undefined) throw error;
    return 'done';
  };
  return { use, calls: () => calls };
}

const UNAVAILABLE = apiError('E0000181');

describe('patience', () => {
  test('waits for a database that cannot serve at the moment', async () => {
    const { calls, use } = failing(UNAVAILABLE, UNAVAILABLE);
    expect(await retryWhileUnavailable(use, [1, 1, 1])).toBe('done');
    expect(calls()).toBe(3);
  });

  test('ends', async () => {
    const { calls, use } = failing(UNAVAILABLE, UNAVAILABLE, UNAVAILABLE);
    await expect(retryWhileUnavailable(use, [1, 1])).rejects.toBe(UNAVAILABLE);
    expect(calls()).toBe(3);
  });

  test.each([new Error('a fault'), apiError('E0000006')])('is for nothing else: %s', async (error) => {
    const { calls, use } = failing(error);
    await expect(retryWhileUnavailable(use, [1])).rejects.toBe(error);
    expect(calls()).toBe(1);
  });
});
