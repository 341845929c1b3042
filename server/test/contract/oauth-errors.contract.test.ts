import { describe, expect, test } from 'vitest';
import { OAUTH_ERRORS } from '../../src/kernel/errors/oauth-errors.ts';
import { contractOAuthErrors } from '../support/contract.ts';

const published = contractOAuthErrors();

/** OAuth errors that the contract lacks, each with the reason why it exists. */
const OWN_ERRORS: Readonly<Record<string, string>> = {
  invalidBindingMessage: 'CIBA Core 13 names it, and clients that follow it look for that name',
  absentUserDenied: 'approvals of clients for users who are not there are our own',
  providerUnsupported: 'the contract knows unknown providers, and not that there is no way to any of them',
};
const ofContract = Object.entries(OAUTH_ERRORS).filter(([code]) => !(code in OWN_ERRORS));

describe('OAuth errors', () => {
  test('the contract is read', () => {
    expect(published.length).toBeGreaterThan(400);
  });

  test.each(ofContract)('%s is what the contract says', (_, { internalCode, ...row }) => {
    const {
      error,
      httpStatus: status,
      errorDescription,
    } = published.find(({ internalErrorCode }) => internalErrorCode === internalCode) ?? {
      error: '',
      httpStatus: 0,
      errorDescription: '',
    };
    // The bare word `en` is the contract's placeholder for a value.
    const description = row.description.replaceAll('{word}', 'okta').replaceAll(/\{\w+\}/g, 'en');
    expect({ ...row, description }).toEqual({ status, error, description: errorDescription });
  });

  test.each(Object.keys(OWN_ERRORS))('%s is in no contract', (code) => {
    const [, own] = Object.entries(OAUTH_ERRORS).find(([name]) => name === code) ?? [];
    expect(own).toBeDefined();
    expect(published.filter(({ internalErrorCode }) => internalErrorCode === own?.internalCode)).toEqual([]);
  });
});
