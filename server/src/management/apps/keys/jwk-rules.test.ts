import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../kernel/errors/errors.ts';
import { keyIdentity, readJwk, readJwks, readRemoteJwks, statusOf } from './jwk-rules.ts';

const RSA = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const rsa = RSA.publicKey.export({ format: 'jwk' });
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).publicKey.export({ format: 'jwk' });
const p256 = ec('P-256');

function fieldOf(run: () => unknown): string | null {
  try {
    run();
    return null;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'E0000001') throw error;
    return error.message.replace('Api validation failed: ', '');
  }
}

const encode = (number: bigint, bytes?: number): string => {
  const digits = number.toString(16);
  const length = bytes === undefined ? digits.length + (digits.length % 2) : bytes * 2;
  return Buffer.from(digits.padStart(length, '0'), 'hex').toString('base64url');
};

describe('a key that is taken', () => {
  test.each(['P-256', 'P-384', 'P-521'])('%s: every generated one', (curve) => {
    for (let count = 0; count < 20; count += 1) {
      const jwk = ec(curve);
      expect(readJwk(jwk, '')).toEqual(jwk);
    }
  });

  test.each([2_048, 3_072, 4_096])('RSA of %i bits', (modulusLength) => {
    const jwk = generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' });
    expect(readJwk(jwk, '')).toEqual(jwk);
  });

  test('a modulus may begin with a zero, as some libraries write it', () => {
    const n = Buffer.concat([Buffer.alloc(1), Buffer.from(String(rsa.n), 'base64url')]).toString('base64url');
    expect(readJwk({ ...rsa, n }, '')).toEqual({ ...rsa, n });
  });

  test.each([
    [{ ...rsa, kid: 'a', use: 'sig', alg: 'RS256' }],
    [{ ...rsa, kid: 'a', use: 'enc', alg: 'RSA-OAEP' }],
    [{ ...rsa, alg: 'PS512' }],
    [{ ...p256, alg: 'ES256', use: 'sig', key_ops: ['verify'] }],
  ])('%j', (jwk) => expect(readJwk(jwk, '')).toEqual(jwk));

  test('loses what means nothing here, and nulls', () => {
    const jwk = { ...p256, kid: null, x5c: ['MII'], x5u: 'https://a.example', jku: 'https://a.example', id: 'pks1' };
    expect(readJwk(jwk, '')).toEqual(p256);
  });

  test('keeps the status that was asked for beside it', () => {
    expect(statusOf(readJwk({ ...p256, status: 'INACTIVE' }, ''))).toEqual({ status: 'INACTIVE', jwk: p256 });
    expect(statusOf(readJwk(p256, ''))).toEqual({ status: undefined, jwk: p256 });
  });

  test('is the same by its numbers, not by its name', () => {
    expect(keyIdentity(readJwk({ ...p256, kid: 'a' }, ''))).toBe(keyIdentity(readJwk({ ...p256, use: 'sig' }, '')));
    expect(keyIdentity(readJwk(p256, ''))).not.toBe(keyIdentity(readJwk(ec('P-256'), '')));
  });
});

describe('a key that is refused', () => {
  const tiny = (modulusLength: number) =>
    generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' });
  const modulus = BigInt(`0x${Buffer.from(String(rsa.n), 'base64url').toString('hex')}`);

  test.each([
    ['kty', {}],
    ['kty', { ...p256, kty: 'OKP' }],
    ['kty', { kty: 'oct' }],
    ['kty', { ...rsa, kty: 'rsa' }],
    ['kty', { ...rsa, kty: ['RSA'] }],
    ['n', tiny(1_024)],
    ['n', tiny(2_040)],
    ['n', { ...rsa, n: encode(2n ** 8_192n + 1n) }],
    ['n', { ...rsa, n: encode(modulus - 1n) }],
    ['n', { ...rsa, n: `${rsa.n}=` }],
    ['n', { ...rsa, n: `${rsa.n} ` }],
    ['n', { ...rsa, n: String(rsa.n).replace(/^./, '+') }],
    ['n', { ...rsa, n: undefined }],
    ['n', { ...rsa, n: 5 }],
    ['n', { ...rsa, n: 'A'.repeat(100_000) }],
    ['e', { ...rsa, e: encode(1n) }],
    ['e', { ...rsa, e: encode(3n) }],
    ['e', { ...rsa, e: encode(65_536n) }],
    ['e', { ...rsa, e: encode(65_538n) }],
    ['e', { ...rsa, e: encode(2n ** 64n + 1n) }],
    ['e', { ...rsa, e: '' }],
    ['e', { kty: 'RSA', n: rsa.n }],
    ['crv', { ...p256, crv: 'secp256k1' }],
    ['crv', { ...p256, crv: 'Ed25519' }],
    ['crv', { ...p256, crv: '__proto__' }],
    ['crv', { kty: 'EC', x: p256.x, y: p256.y }],
    ['x', { ...p256, crv: 'P-384' }],
    ['x', { ...p256, x: p256.y, y: p256.x }],
    ['x', { ...p256, x: encode(0n, 32), y: encode(0n, 32) }],
    ['x', { ...p256, y: encode(1n) }],
    ['x', { ...p256, y: undefined }],
    ['x', { ...p256, x: encode(2n ** 256n - 1n) }],
    ['kid', { ...p256, kid: '' }],
    ['kid', { ...p256, kid: 'x'.repeat(256) }],
    ['kid', { ...p256, kid: 'a\nb' }],
    ['kid', { ...p256, kid: 5 }],
    ['use', { ...p256, use: 'both' }],
    ['use', { ...p256, use: 'enc' }],
    ['use', { ...rsa, use: ['sig'] }],
    ['alg', { ...p256, alg: 'RS256' }],
    ['alg', { ...p256, alg: 'ES384' }],
    ['alg', { ...rsa, alg: 'ES256' }],
    ['alg', { ...rsa, alg: 'HS256' }],
    ['alg', { ...rsa, alg: 'none' }],
    ['alg', { ...rsa, alg: 'RSA-OAEP' }],
    ['alg', { ...rsa, use: 'enc', alg: 'RS256' }],
    ['alg', { ...rsa, alg: 5 }],
    ['key_ops', { ...rsa, key_ops: 'verify' }],
    ['key_ops', { ...rsa, key_ops: [5] }],
    ['status', { ...rsa, status: 'GONE' }],
  ])('names %s: %j', (field, jwk) => {
    expect(fieldOf(() => readJwk(jwk, ''))).toBe(field);
    expect(fieldOf(() => readJwk(jwk, 'jwk'))).toBe(`jwk.${field}`);
  });

  test.each([undefined, null, 'RSA', 5, [rsa]])('%j, which is no key', (input) => {
    expect(fieldOf(() => readJwk(input, ''))).toBe('body');
    expect(fieldOf(() => readJwk(input, 'jwk'))).toBe('jwk');
  });

  test.each(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'])(
    'with the private member %s, which is not repeated',
    (name) => {
      const given = { ...rsa, [name]: 'SECRET' };
      expect(fieldOf(() => readJwk(given, ''))).toBe(name);
      try {
        readJwk(given, '');
      } catch (error) {
        expect(JSON.stringify(error)).not.toContain('SECRET');
      }
    },
  );

  test('as a whole private key', () => {
    expect(fieldOf(() => readJwk(RSA.privateKey.export({ format: 'jwk' }), ''))).toBe('d');
  });

  test('whatever it is, by a refusal and nothing else', () => {
    const member = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.base64String());
    const names = ['kty', 'n', 'e', 'crv', 'x', 'y', 'kid', 'use', 'alg'];
    const kty = fc.constantFrom('RSA', 'EC', 'oct', '');
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), member), kty, (jwk, type) => {
        expect(fieldOf(() => readJwk({ ...jwk, kty: type }, ''))).not.toBeNull();
      }),
    );
  });
});

describe('a set', () => {
  const jwks = 'settings.oauthClient.jwks';

  test('is read in its order; none is none', () => {
    const keys = [
      { ...p256, kid: 'b' },
      { ...rsa, kid: 'a' },
    ];
    expect(readJwks({ keys })).toEqual(keys);
    for (const none of [{}, { keys: null }, { keys: [] }]) expect(readJwks(none)).toEqual([]);
    expect(readJwks({ keys: [p256] })).toEqual([p256]);
  });

  test.each([
    [jwks, 'keys'],
    [jwks, { keys: 'none' }],
    [jwks, { keys: [p256, { ...rsa, kid: 'a' }] }],
    [
      jwks,
      {
        keys: [
          { ...p256, kid: 'a' },
          { ...rsa, kid: 'a' },
        ],
      },
    ],
    [jwks, { keys: Array.from({ length: 51 }, (_, index) => ({ ...p256, kid: `k${index}` })) }],
    [jwks, { keys: ['a', 'b'].map((kid) => ({ ...rsa, kid, use: 'enc' })) }],
    [
      `${jwks}.keys[1].n`,
      {
        keys: [
          { ...p256, kid: 'a' },
          { kty: 'RSA', kid: 'b' },
        ],
      },
    ],
    [`${jwks}.keys[0].d`, { keys: [{ ...p256, d: 'x' }] }],
    [`${jwks}.keys[0]`, { keys: [null] }],
  ])('is refused, naming %s', (field, input) => {
    expect(fieldOf(() => readJwks(input))).toBe(field);
  });

  test('may hold 50 keys, and a second encryption key that is not active', () => {
    expect(readJwks({ keys: Array.from({ length: 50 }, (_, index) => ({ ...p256, kid: `k${index}` })) })).toHaveLength(
      50,
    );
    const [first, second] = ['a', 'b'].map((kid) => ({ ...rsa, kid, use: 'enc' }));
    expect(readJwks({ keys: [first, { ...second, status: 'INACTIVE' }] })).toHaveLength(2);
  });

  test('of somebody else is read without what we cannot use', () => {
    const keys = [{ kty: 'OKP', crv: 'Ed25519', x: 'AA' }, p256, { ...rsa, d: 'x' }, { ...rsa, status: 'X' }, null];
    expect(readRemoteJwks({ keys })).toEqual([p256, rsa]);
    expect(readRemoteJwks({ keys: [] })).toEqual([]);
    for (const none of [{}, [], null, 'x', { keys: 'x' }, { keys: Array(51).fill(p256) }]) {
      expect(readRemoteJwks(none)).toBeNull();
    }
  });
});
