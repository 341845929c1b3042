import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { constantTimeEqual, hashSecret, newPassword, newSecret } from './secrets.ts';

test('the hash of a secret is its SHA-256', () => {
  expect(hashSecret('a').equals(createHash('sha256').update('a').digest())).toBe(true);
});

test('secrets have their length and alphabet, and differ', () => {
  const secrets = Array.from({ length: 200 }, () => newSecret(20));
  expect(secrets.every((secret) => /^[0-9A-Za-z]{20}$/.test(secret))).toBe(true);
  expect(new Set(secrets).size).toBe(200);
  expect(newSecret()).toHaveLength(43);
});

test('passwords have one of each kind and nothing that is easily misread', () => {
  for (let round = 0; round < 200; round += 1) {
    const password = newPassword(8);
    expect(password).toMatch(/^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[A-Za-z2-9]{8}$/);
    expect(password).not.toMatch(/[lIO01o]/);
  }
  expect(() => newPassword(2)).toThrow(RangeError);
});

test.each([
  ['abc', 'abc', true],
  ['abc', 'abd', false],
  ['abc', 'abcd', false],
  ['', '', true],
])('comparing %j with %j', (one, other, isEqual) => {
  expect(constantTimeEqual(one, other)).toBe(isEqual);
  expect(constantTimeEqual(Buffer.from(one), other)).toBe(isEqual);
});
