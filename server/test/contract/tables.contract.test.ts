import { describe, expect, test } from 'vitest';
import { ERRORS } from '../../src/kernel/errors/errors.ts';
import { contractErrors, contractEventTypes, contractOperations, loadContract } from '../support/contract.ts';
import { expectOfEvery } from '../support/offenders.ts';

describe('the contract', () => {
  test('is read', () => {
    expect(contractErrors().length).toBeGreaterThan(200);
    expect(contractEventTypes().size).toBeGreaterThan(1_000);
    expect(contractOperations().length).toBeGreaterThan(900);
  });
});

describe('errors', () => {
  const published = new Map(contractErrors().map((error) => [error.errorCode, error]));

  test('every code is published, with this status', () =>
    expectOfEvery(
      { rows: Object.entries(ERRORS), nameOf: ([code]) => code, atLeast: 60 },
      ([errorCode, { status }]) => {
        expect(published.has(errorCode), 'whether it is published').toBe(true);
        expect(status).toBe(published.get(errorCode)?.httpStatus);
      },
    ));
});

describe('the response validator', () => {
  const contract = loadContract('svc');
  const user = {
    id: '00ub0oNGTSWTBKOLGLNR',
    status: 'ACTIVE',
    created: '2013-06-24T16:39:18.000Z',
    activated: null,
    credentials: { password: {}, provider: { type: 'SVC', name: 'SVC' } },
    profile: { login: 'isaac@example.com', firstName: 'Isaac', lastName: null },
    _links: { self: { href: 'https://acme.localhost/api/v1/users/00ub0oNGTSWTBKOLGLNR' } },
  };

  test('accepts what the contract describes', () => {
    expect(contract.describes('getUser', 200)).toBe(true);
    expect(contract.validateResponse('getUser', 200, user)).toEqual([]);
    expect(contract.validateResponse('listUsers', 200, [user])).toEqual([]);
  });

  test.each([
    ['an unknown status', { ...user, status: 'GONE' }],
    ['a wrong type', { ...user, created: 5 }],
    ['the other word', { ...user, credentials: { provider: { type: 'OKTA', name: 'OKTA' } } }],
    ['no object at all', 'user'],
  ])('refuses %s', (_, body) => {
    expect(contract.validateResponse('getUser', 200, body)).not.toEqual([]);
  });

  test('says nothing where the contract is silent', () => {
    expect(contract.describes('noSuchOperation', 200)).toBe(false);
    expect(contract.validateResponse('noSuchOperation', 200, {})).toEqual([]);
  });
});
