import { expect, test } from 'vitest';
import { matchesPattern, problemOfPattern } from './patterns.ts';

test('a stored pattern over the limits is not valid for others, although it was compiled', () => {
  const long = '[a-z]'.repeat(120);
  expect(problemOfPattern(long)).not.toBeNull();
  expect(matchesPattern(long, 'a'.repeat(120))).toBe(true);
  expect(problemOfPattern(long)).not.toBeNull();
  expect(problemOfPattern('[a-z]+')).toBeNull();
});
