import { expect, test } from 'vitest';
import { isThere, ruled, shown } from './proof.ts';

const RULES = 'management/policies/types/app-sign-on-rules';

test.each([
  ['a test and a row of its table', shown('authorize-refusals', '%s', 'an unknown client'), true],
  ['a test of a plain title', shown('authorize-refusals', 'a parameter that comes twice'), true],
  ['a test that is not there', shown('authorize-refusals', 'a parameter that comes thrice'), false],
  ['a file that is not there', shown('authorize-refused', '%s', 'an unknown client'), false],
  ['a title that says nothing, without a row', shown('authorize-refusals', '%s'), false],
  ['a row that no table has', shown('authorize-refusals', '%s', 'an unknown clerk'), false],
  ['a row of the table of another test', ruled(RULES, '%s', 'a managed device'), false],
])('%s', (_, proof, there) => expect(isThere(proof)).toBe(there));
