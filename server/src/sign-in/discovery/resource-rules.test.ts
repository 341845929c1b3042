import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../kernel/errors/errors.ts';
import { ISSUER_RELATION, readLogin, readRelations } from './resource-rules.ts';

const refusal = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'E0000001') return error.message;
    throw error;
  }
  return 'none';
};

describe('readLogin', () => {
  test('whatever stands behind the prefix is the login', () => {
    const login = fc.string({ minLength: 1, maxLength: 1_000 }).filter((text) => text.trim() !== '');
    fc.assert(
      fc.property(login, (text) => {
        expect(readLogin([`svc:acct:${text}`], 'svc')).toBe(text.trim());
      }),
    );
  });

  test.each([
    [[]],
    [['']],
    [['svc:acct:']],
    [['svc:acct: ']],
    [['acct:ada']],
    [['okta:acct:ada']],
    [[' svc:acct:ada']],
    [[`svc:acct:${'a'.repeat(1_001)}`]],
    [['svc:acct:ada', 'svc:acct:ada']],
  ])('refuses %j', (resources) => {
    expect(refusal(() => readLogin(resources, 'svc'))).toBe('Api validation failed: resource');
  });
});

describe('readRelations', () => {
  test.each([
    [[], null],
    [['svc:idp'], { provider: true, issuer: false }],
    [[ISSUER_RELATION], { provider: false, issuer: true }],
    [[ISSUER_RELATION, 'svc:idp', 'svc:idp'], { provider: true, issuer: true }],
  ])('%j', (relations, wanted) => {
    expect(readRelations(relations, 'svc')).toEqual(wanted);
  });

  test.each(['', 'okta:idp', 'SVC:IDP', 'https://openid.net/specs/connect/1.0/issuer', `${ISSUER_RELATION}/`])(
    'refuses %j',
    (relation) => {
      expect(refusal(() => readRelations(['svc:idp', relation], 'svc'))).toBe('Api validation failed: rel');
    },
  );
});
