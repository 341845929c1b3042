import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { IMPORT_LIMITS, REFERENCE_RATES } from './cost-model.ts';
import { parseImportedHash } from './imported-hash.ts';

const BCRYPT = {
  algorithm: 'BCRYPT',
  workFactor: 10,
  salt: 'Ig4eeK2UN1k5aftUyTkniO',
  value: 'ldlfB3eD.4cmCZs3tBzp0A9jJWdhT0e',
};
const SHA = { algorithm: 'SHA-256', value: createHash('sha256').update('x').digest('base64') };
const PBKDF2 = {
  algorithm: 'PBKDF2',
  iterationCount: 4096,
  keySize: 32,
  digestAlgorithm: 'SHA256_HMAC',
  salt: 'c2FsdA==',
  value: Buffer.alloc(32, 7).toString('base64'),
};
const problemsOf = (input: unknown): readonly string[] => {
  const parsed = parseImportedHash(input);
  return 'problems' in parsed ? parsed.problems : [];
};

describe('parseImportedHash', () => {
  test.each([
    [BCRYPT, BCRYPT],
    [SHA, { ...SHA, salt: null, saltOrder: 'PREFIX' }],
    [
      { ...SHA, salt: 'c2FsdA', saltOrder: 'POSTFIX' },
      { ...SHA, salt: 'c2FsdA', saltOrder: 'POSTFIX' },
    ],
    [PBKDF2, PBKDF2],
  ])('accepts %o', (input, expected) => {
    expect(parseImportedHash(input)).toEqual(expected);
  });

  test('drops members it does not know', () => {
    expect(parseImportedHash({ ...BCRYPT, extra: 1 })).toEqual(BCRYPT);
  });

  test.each([
    ['no object', null, ['hash']],
    ['unknown algorithm', { algorithm: 'SCRYPT' }, ['algorithm']],
    ['an algorithm named like an inherited member', { algorithm: 'constructor' }, ['algorithm']],
    ['bcrypt of cost 31', { ...BCRYPT, workFactor: 31 }, ['workFactor']],
    ['bcrypt of cost 13', { ...BCRYPT, workFactor: 13 }, ['workFactor']],
    ['bcrypt of cost 3', { ...BCRYPT, workFactor: 3 }, ['workFactor']],
    ['bcrypt of a fractional cost', { ...BCRYPT, workFactor: 10.5 }, ['workFactor']],
    ['bcrypt of a cost in text', { ...BCRYPT, workFactor: '10' }, ['workFactor']],
    ['bcrypt with a short salt', { ...BCRYPT, salt: BCRYPT.salt.slice(1) }, ['salt']],
    ['bcrypt with bits that no salt has', { ...BCRYPT, salt: `${BCRYPT.salt.slice(0, 21)}P` }, ['salt']],
    ['bcrypt with a value of another alphabet', { ...BCRYPT, value: `+${BCRYPT.value.slice(1)}` }, ['value']],
    ['bcrypt with nothing', { algorithm: 'BCRYPT' }, ['workFactor', 'salt', 'value']],
    ['an empty value', { ...SHA, value: '' }, ['value']],
    ['a value of another length', { ...SHA, algorithm: 'SHA-1' }, ['value']],
    ['a value that is no base64', { ...SHA, value: '*'.repeat(44) }, ['value']],
    ['a salt without its place', { ...SHA, salt: 'c2FsdA==' }, ['saltOrder']],
    ['a salt that is no base64', { ...SHA, salt: 'a', saltOrder: 'PREFIX' }, ['salt']],
    ['an endless salt', { ...SHA, salt: 'c2Fs'.repeat(1000), saltOrder: 'PREFIX' }, ['salt']],
    ['PBKDF2 of 1e9 iterations', { ...PBKDF2, iterationCount: 1e9 }, ['iterationCount']],
    ['PBKDF2 of few iterations', { ...PBKDF2, iterationCount: 4095 }, ['iterationCount']],
    [
      'PBKDF2 whose blocks multiply the iterations',
      { ...PBKDF2, keySize: 128, value: Buffer.alloc(128).toString('base64'), iterationCount: 330_000 },
      ['iterationCount'],
    ],
    ['PBKDF2 of a one-byte key', { ...PBKDF2, keySize: 1, value: 'AA==' }, ['keySize']],
    ['PBKDF2 of an unknown digest', { ...PBKDF2, digestAlgorithm: 'MD5_HMAC' }, ['digestAlgorithm']],
    ['PBKDF2 without salt', { ...PBKDF2, salt: '' }, ['salt']],
    ['PBKDF2 whose value is not keySize long', { ...PBKDF2, keySize: 31 }, ['value']],
  ])('refuses %s', (_, input, members) => {
    expect(problemsOf(input).map((problem) => problem.split(':')[0])).toEqual(members);
  });

  test.each(Object.entries(IMPORT_LIMITS))('the limit of %s is about 250 ms', (kind, units) => {
    const milliseconds = units * REFERENCE_RATES[kind as keyof typeof IMPORT_LIMITS];
    expect(milliseconds).toBeGreaterThan(200);
    expect(milliseconds).toBeLessThan(275);
  });

  test('never throws', () => {
    const members = fc.record(
      {
        algorithm: fc.constantFrom('BCRYPT', 'PBKDF2', 'SHA-512', 'MD5', 'x'),
        salt: fc.anything(),
        value: fc.anything(),
        workFactor: fc.anything(),
        keySize: fc.anything(),
        iterationCount: fc.anything(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(members, fc.anything()), (input) => {
        expect(parseImportedHash(input)).toBeTypeOf('object');
      }),
    );
  });
});
