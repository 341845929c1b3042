import { describe, expect, test } from 'vitest';
import {
  audienceOfAssertion,
  type ClientKey,
  expiryOf,
  issuerOf,
  originsBefore,
  readHeader,
  readMacHeader,
  refusalOfClaims,
  selectKeys,
  singleUseName,
} from './assertion-rules.ts';
import type { ParsedJws } from './jws-rules.ts';

const now = new Date('2026-11-21T10:00:00.500Z');
const seconds = now.getTime() / 1_000;

const jws = (claims: Record<string, unknown>, header: Record<string, unknown> = {}): ParsedJws => ({
  header: { alg: 'RS256', ...header },
  claims,
  signingInput: 'a.b',
  signature: Buffer.alloc(1),
});

describe('the header', () => {
  test.each([
    {},
    { typ: 'JWT' },
    { typ: 'jwt' },
    { typ: 'client-authentication+jwt' },
    { kid: 'a', x5t: 'b', cty: 'c' },
  ])('%j is read', (header) => expect(readHeader(jws({}, header))).toEqual({ value: 'RS256' }));

  test.each([
    [{ jku: 'https://a.example' }, 'assertionInvalidJwt'],
    [{ jwk: {} }, 'assertionInvalidJwt'],
    [{ x5u: 'https://a.example' }, 'assertionInvalidJwt'],
    [{ x5c: [] }, 'assertionInvalidJwt'],
    [{ crit: ['exp'] }, 'assertionInvalidJwt'],
    [{ crit: [] }, 'assertionInvalidJwt'],
    [{ b64: false }, 'assertionInvalidJwt'],
    [{ typ: 'dpop+jwt' }, 'assertionInvalidJwt'],
    [{ typ: 'at+jwt' }, 'assertionInvalidJwt'],
    [{ typ: 1 }, 'assertionInvalidJwt'],
    [{ alg: 'none' }, 'assertionInvalidAlgorithm'],
    [{ alg: 'HS256' }, 'assertionInvalidAlgorithm'],
    [{ alg: undefined }, 'assertionInvalidAlgorithm'],
    [{ kid: 1 }, 'assertionInvalidKid'],
    [{ kid: null }, 'assertionInvalidKid'],
    [{ kid: ['a'] }, 'assertionInvalidKid'],
  ])('%j is refused', (header, refused) => expect(readHeader(jws({}, header))).toEqual({ refused }));
});

describe('the header of an assertion that a secret signed', () => {
  test('names a MAC and nothing else', () => {
    for (const alg of ['HS256', 'HS384', 'HS512']) expect(readMacHeader(jws({}, { alg }))).toEqual({ value: alg });
    for (const alg of ['RS256', 'ES256', 'none', 'HS1', undefined]) {
      expect(readMacHeader(jws({}, { alg }))).toEqual({ refused: 'assertionInvalidAlgorithm' });
    }
    expect(readMacHeader(jws({}, { alg: 'HS256', jwk: {} }))).toEqual({ refused: 'assertionInvalidJwt' });
  });
});

describe('keys', () => {
  const rsa: ClientKey = { kid: 'rsa', jwk: { kty: 'RSA' } };
  const second: ClientKey = { kid: 'second', jwk: { kty: 'RSA' } };
  const nameless: ClientKey = { kid: null, jwk: { kty: 'RSA' } };
  const ec: ClientKey = { kid: 'ec', jwk: { kty: 'EC', crv: 'P-256' } };
  const encryption: ClientKey = { kid: 'enc', jwk: { kty: 'RSA', use: 'enc' } };
  const all = [rsa, second, nameless, ec, encryption];

  test('a kid names one key and no other', () => {
    expect(selectKeys(jws({}, { kid: 'second' }), 'RS256', all)).toEqual({ value: [second.jwk] });
  });

  test('without one, every key of the kind is tried, as far as it may sign', () => {
    const selected = selectKeys(jws({}), 'RS256', all);
    expect(selected).toEqual({ value: [rsa.jwk, second.jwk, nameless.jwk] });
    const many = Array.from({ length: 200 }, () => rsa);
    expect(selectKeys(jws({}), 'RS256', many)).toMatchObject({ value: { length: 50 } });
  });

  test.each([
    ['nothing registered', {}, [], 'assertionKeysNotConfigured'],
    ['an unknown kid', { kid: 'third' }, all, 'assertionInvalidKid'],
    ['an empty kid, which is not the missing one', { kid: '' }, all, 'assertionInvalidKid'],
    ['a kid as a path', { kid: '../../rsa' }, all, 'assertionInvalidKid'],
    ['a kid as SQL', { kid: "' or '1'='1" }, all, 'assertionInvalidKid'],
    ['a kid as an address', { kid: 'https://a.example/rsa' }, all, 'assertionInvalidKid'],
    ['a key of another kind', { kid: 'ec' }, all, 'assertionInvalidAlgorithm'],
    ['a key for encryption', { kid: 'enc' }, all, 'assertionInvalidKeyUse'],
    ['keys for encryption only', {}, [encryption], 'assertionInvalidKeyUse'],
    ['keys of another kind only', {}, [ec], 'assertionInvalidAlgorithm'],
  ] as const)('%s is refused', (_, header, keys, refused) => {
    expect(selectKeys(jws({}, header), 'RS256', keys)).toEqual({ refused });
  });
});

describe('audience', () => {
  test.each([
    ['https://acme.example', 'https://acme.example'],
    [['https://acme.example'], 'https://acme.example'],
    [['https://acme.example', 'https://b.example'], null],
    [['https://acme.example', 'https://acme.example'], null],
    [[['https://acme.example']], null],
    [[], null],
    [[1], null],
    [{}, null],
    [undefined, null],
  ])('%j', (aud, audience) => expect(audienceOfAssertion(jws({ aud }))).toBe(audience));

  const paths = ['/oauth2/v1/token', '/oauth2/v1/token', ''];
  test.each([
    ['https://acme.example/oauth2/v1/token', ['https://acme.example', 'https://acme.example/oauth2/v1/token']],
    ['https://acme.example/oauth2/v1/token/', ['https://acme.example/oauth2/v1/token/']],
    ['https://acme.example/OAUTH2/v1/token', ['https://acme.example/OAUTH2/v1/token']],
    ['https://acme.example', ['https://acme.example']],
    ['', ['']],
  ])('may be at %s, before a path', (address, origins) => expect(originsBefore(address, paths)).toEqual(origins));

  test('is never before a path that it does not end with', () => {
    expect(originsBefore('https://acme.example/oauth2/v1/revoke', ['/oauth2/v1/token'])).toEqual([]);
  });
});

describe('claims', () => {
  const good = { exp: seconds + 300 };
  test.each([
    [good],
    [{ exp: seconds + 3_600 }],
    [{ exp: seconds + 0.25 }],
    [{ ...good, iat: seconds, nbf: seconds, jti: 'a' }],
    [{ ...good, iat: seconds + 60, nbf: seconds + 60 }],
    [{ ...good, iat: 0 }],
    [{ ...good, jti: 'a'.repeat(255) }],
  ])('%j is good', (claims) => expect(refusalOfClaims(jws(claims), now)).toBeNull());

  test.each([
    [{}, 'assertionExpirationRequired'],
    [{ exp: null }, 'assertionExpirationRequired'],
    [{ exp: String(seconds + 300) }, 'assertionExpirationRequired'],
    [{ exp: seconds }, 'assertionExpired'],
    [{ exp: seconds - 1 }, 'assertionExpired'],
    [{ exp: -1 }, 'assertionExpired'],
    [{ exp: seconds + 3_601 }, 'assertionExpiresTooFar'],
    [{ exp: (seconds + 300) * 1_000 }, 'assertionExpiresTooFar'],
    [{ exp: Number.POSITIVE_INFINITY }, 'assertionExpiresTooFar'],
    [{ ...good, iat: seconds + 61 }, 'assertionIssuedInFuture'],
    [{ ...good, nbf: seconds + 61 }, 'assertionIssuedInFuture'],
    [{ ...good, iat: 'now' }, 'assertionInvalidJwt'],
    [{ ...good, nbf: null }, 'assertionInvalidJwt'],
    [{ ...good, jti: '' }, 'assertionInvalidJwt'],
    [{ ...good, jti: 1 }, 'assertionInvalidJwt'],
    [{ ...good, jti: 'a'.repeat(256) }, 'assertionInvalidJwt'],
  ])('%j is refused', (claims, refused) => expect(refusalOfClaims(jws(claims), now)).toBe(refused));

  test('the issuer is a text or nobody', () => {
    expect(issuerOf(jws({ iss: 'a' }))).toBe('a');
    expect(issuerOf(jws({ iss: ['a'] }))).toBeNull();
    expect(issuerOf(jws({}))).toBeNull();
  });

  test('what is good once is the jti, else what was signed; a jti never names the latter', () => {
    expect(singleUseName(jws({ jti: 'a.b' }))).not.toBe(singleUseName(jws({})));
    expect(singleUseName(jws({}))).toBe(singleUseName({ ...jws({}), signature: Buffer.alloc(9) }));
    expect(expiryOf(jws(good)).getTime()).toBe(now.getTime() + 300_000);
  });
});
