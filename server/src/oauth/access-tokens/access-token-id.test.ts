import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { issuedAtOf, newAccessTokenId, newTokenId } from './access-token-id.ts';

describe('newAccessTokenId', () => {
  test('is AT. and 43 url-safe characters, the instant of issue inside', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }), (issuedAt) => {
        const jti = newAccessTokenId(issuedAt);
        expect(jti).toMatch(/^AT\.[A-Za-z0-9_-]{43}$/);
        expect(issuedAtOf(jti)).toEqual(issuedAt);
      }),
    );
  });

  test('two of one instant differ, in 192 bits', () => {
    const issuedAt = new Date();
    const ids = Array.from({ length: 1_000 }, () => newAccessTokenId(issuedAt).slice(14));
    expect(new Set(ids).size).toBe(1_000);
  });
});

test('an ID token has a name of its own kind', () => {
  const issuedAt = new Date();
  const jti = newTokenId('ID.', issuedAt);
  expect(jti).toMatch(/^ID\.[A-Za-z0-9_-]{43}$/);
  expect([issuedAtOf(jti), issuedAtOf(jti, 'ID.')]).toEqual([null, issuedAt]);
});

describe('issuedAtOf', () => {
  const made = newAccessTokenId(new Date());
  test.each([
    ['nothing', ''],
    ['no prefix', made.slice(3)],
    ['another prefix', `ID.${made.slice(3)}`],
    ['too short', made.slice(0, -1)],
    ['too long', `${made}A`],
    ['another alphabet', `AT.${'+'.repeat(43)}`],
    ['bits beyond the last byte', `${made.slice(0, -1)}B`],
    ['an instant that no date has', `AT.${Buffer.alloc(32, 255).toString('base64url')}`],
    ['a line more', `${made}\n`],
  ])('is null for %s', (_, jti) => {
    expect(issuedAtOf(jti)).toBeNull();
  });
});
