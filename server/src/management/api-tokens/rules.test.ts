import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { USER_STATUSES } from '../../kernel/user-statuses.ts';
import { expiryOf, mayOwnLiveTokens, oldestLivingUse, readAuthorization } from './rules.ts';

const token = `00${'aZ09_-'.repeat(7).slice(0, 40)}`;

describe('readAuthorization', () => {
  test.each([`SSWS ${token}`, `ssws ${token}`, `SSWS${token}`, `Ssws   ${token} `])('reads %j', (header) => {
    expect(readAuthorization(header)).toBe(token);
  });

  test.each([
    '',
    'SSWS',
    'SSWS ',
    token,
    `SSWSX${token}`,
    `Bearer ${token}`,
    `SSWS ${token} ${token}`,
    `SSWS ${token}a`,
    `SSWS ${token.slice(0, -1)}`,
    `SSWS 01${token.slice(2)}`,
    `SSWS ${token.slice(0, -1)}+`,
    `SSWS ${token},SSWS ${token}`,
    `SSWS\u00a0${token}`,
  ])('finds none in %j', (header) => {
    expect(readAuthorization(header)).toBeNull();
  });

  test('is total', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        const found = readAuthorization(`SSWS ${header}`);
        expect(found === null || found.length === 42).toBe(true);
      }),
    );
  });
});

test('a token holds for thirty days after its last use', () => {
  const used = new Date('2026-11-01T00:00:00.000Z');
  expect(expiryOf(used).toISOString()).toBe('2026-12-01T00:00:00.000Z');
  expect(oldestLivingUse(expiryOf(used))).toEqual(used);
});

test('owners whose tokens do not hold', () => {
  const dead = USER_STATUSES.filter((status) => !mayOwnLiveTokens(status));
  expect(dead.toSorted()).toEqual(['DEPROVISIONED', 'STAGED', 'SUSPENDED']);
});
