import { describe, expect, test } from 'vitest';
import { standardClaim, standardClaims } from './openid-claim-rules.ts';

const user = (profile: Readonly<Record<string, unknown>> = {}) => ({
  login: 'ada@example.com',
  profile,
  lastUpdatedAt: new Date('2026-11-21T10:00:00.900Z'),
  unprovedEmail: 'typed@example.com',
});

describe('standard claims', () => {
  test('tell nothing without a scope that has them', () => {
    expect(standardClaims(['openid', 'offline_access', 'groups'], user({ email: 'a@b.example' }))).toEqual({});
  });

  test('leave out what a profile has not, or has as nothing', () => {
    expect(
      standardClaims(['profile', 'email', 'address', 'phone'], user({ firstName: '', primaryPhone: null })),
    ).toEqual({
      name: 'ada@example.com',
      preferred_username: 'ada@example.com',
      updated_at: 1_795_255_200,
    });
  });

  test.each([
    [{ displayName: 'Countess' }, 'Countess'],
    [{ firstName: 'Ada', lastName: 'Lovelace' }, 'Ada Lovelace'],
    [{ lastName: 'Lovelace' }, 'Lovelace'],
  ])('%j is called %s', (profile, name) => expect(standardClaim('name', user(profile))).toBe(name));

  test.each([
    [{ email: 'proved@example.com' }, true],
    [{ email: 'typed@example.com' }, false],
    [{ email: '' }, undefined],
    [{}, undefined],
  ])('%j is verified: %j', (profile, verified) => {
    expect(standardClaim('email_verified', user(profile))).toBe(verified);
  });

  test.each(['constructor', 'toString', 'password', 'sub'])('%s is none of them', (name) => {
    expect(standardClaim(name, user({ [name]: 'x' }))).toBeUndefined();
  });
});
