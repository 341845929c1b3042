import { describe, expect, test } from 'vitest';
import { OAUTH_ERRORS } from '../../src/kernel/oauth-errors.ts';
import { contractOAuthErrors } from '../support/contract.ts';

const published = contractOAuthErrors();

describe('OAuth errors', () => {
  test('the contract is read', () => {
    expect(published.length).toBeGreaterThan(400);
  });

  test.each(Object.entries(OAUTH_ERRORS))('%s is what the contract says', (_, { internalCode, ...row }) => {
    const {
      error,
      httpStatus: status,
      errorDescription,
    } = published.find(({ internalErrorCode }) => internalErrorCode === internalCode) ?? {
      error: '',
      httpStatus: 0,
      errorDescription: '',
    };
    // The bare word `en` is the contract's place for a value.
    const description = row.description.replaceAll('{word}', 'okta').replaceAll(/\{\w+\}/g, 'en');
    expect({ ...row, description }).toEqual({ status, error, description: errorDescription });
  });
});
