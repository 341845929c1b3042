import { describe, expect, test } from 'vitest';
import { OAUTH_ERRORS } from '../../src/kernel/errors/oauth-errors.ts';
import { contractOAuthErrors } from '../support/contract.ts';
import { expectOfEvery } from '../support/offenders.ts';

const published = contractOAuthErrors();

/** OAuth errors that the contract lacks, each with the reason why the service has it. */
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

  test('every row is what the contract says', () =>
    expectOfEvery({ rows: ofContract, nameOf: ([code]) => code, atLeast: 150 }, ([, { internalCode, ...row }]) => {
      const found = published.find(({ internalErrorCode }) => internalErrorCode === internalCode);
      // The contract prints fixed words where our descriptions contain placeholders.
      const description = row.description.replaceAll('{word}', 'okta').replaceAll(/\{\w+\}/g, 'en');
      expect({ ...row, description }).toEqual({
        status: found?.httpStatus,
        error: found?.error,
        description: found?.errorDescription,
      });
    }));

  test('rows of our own are in no contract', () =>
    expectOfEvery({ rows: Object.keys(OWN_ERRORS), nameOf: String, atLeast: 3 }, (code) => {
      const [, own] = Object.entries(OAUTH_ERRORS).find(([name]) => name === code) ?? [];
      expect(own).toBeDefined();
      expect(published.filter(({ internalErrorCode }) => internalErrorCode === own?.internalCode)).toEqual([]);
    }));
});
