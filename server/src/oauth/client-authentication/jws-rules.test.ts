import { describe, expect, test } from 'vitest';
import { fitsAlgorithm, isSignatureAlgorithm, isSigningKey, parseJws, requiredMembers } from './jws-rules.ts';

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const good = `${encode({ alg: 'RS256' })}.${encode({ iss: 'a' })}.AAAA`;

describe('parseJws', () => {
  test('takes header, claims and signature apart', () => {
    expect(parseJws(good)).toEqual({
      header: { alg: 'RS256' },
      claims: { iss: 'a' },
      signingInput: good.slice(0, -5),
      signature: Buffer.alloc(3),
    });
  });

  test.each([
    ['two segments', `${encode({})}.${encode({})}`],
    ['five segments', 'a.b.c.d.e'],
    ['no signature', `${encode({ alg: 'none' })}.${encode({})}.`],
    ['padding', `${encode({})}.${encode({})}.AAA=`],
    ['padding of two', `${encode({})}.${encode({})}.AAAA==`],
    ['the other alphabet', `${encode({})}.${encode({})}.++//`],
    ['a space', ` ${good}`],
    ['a space in the signature', `${encode({})}.${encode({})}.AA AA`],
    ['a line break in the signature', `${encode({})}.${encode({})}.AA\nAA`],
    ['a second spelling of the same bytes', `${encode({})}.${encode({})}.AAB`],
    ['an array of claims', `${encode({})}.${encode([])}.AAAA`],
    ['null as header', `${encode(null)}.${encode({})}.AAAA`],
    ['bytes that are no UTF-8', `${Buffer.from('{"a":"\xff"}', 'latin1').toString('base64url')}.${encode({})}.AAAA`],
    ['a byte order mark', `${Buffer.from('\ufeff{}').toString('base64url')}.${encode({})}.AAAA`],
    ['a byte order mark before the claims', `${encode({})}.${Buffer.from('\ufeff{}').toString('base64url')}.AAAA`],
    ['depth without end', `${encode({})}.${Buffer.from('['.repeat(9_000)).toString('base64url')}.AAAA`],
    ['length without end', `${encode({})}.${encode({ a: 'a'.repeat(20_000) })}.AAAA`],
  ])('refuses %s', (_, text) => {
    expect(parseJws(text)).toBeNull();
  });

  test('a member named __proto__ is data', () => {
    const jws = parseJws(`${encode({})}.${Buffer.from('{"__proto__":{"iss":"x"}}').toString('base64url')}.AAAA`);
    expect(jws?.claims['iss']).toBeUndefined();
  });
});

describe('algorithms', () => {
  test.each(['none', 'None', 'HS256', 'HS512', 'RS1', 'EdDSA', 'toString', '', 1, null, undefined, ['RS256']])(
    '%j may not sign',
    (name) => expect(isSignatureAlgorithm(name)).toBe(false),
  );

  test('an algorithm fits its own kind of key, and no other', () => {
    expect(fitsAlgorithm({ kty: 'RSA' }, 'RS256')).toBe(true);
    expect(fitsAlgorithm({ kty: 'RSA', alg: 'RS256' }, 'RS256')).toBe(true);
    expect(fitsAlgorithm({ kty: 'RSA', alg: 'PS256' }, 'RS256')).toBe(false);
    expect(fitsAlgorithm({ kty: 'EC', crv: 'P-256' }, 'RS256')).toBe(false);
    expect(fitsAlgorithm({ kty: 'EC', crv: 'P-256' }, 'ES256')).toBe(true);
    expect(fitsAlgorithm({ kty: 'EC', crv: 'P-384' }, 'ES256')).toBe(false);
    expect(fitsAlgorithm({ kty: 'RSA' }, 'ES256')).toBe(false);
    expect(fitsAlgorithm({ kty: 'oct' }, 'RS256')).toBe(false);
  });

  test('a key that is kept for something else never checks signatures', () => {
    expect(isSigningKey({})).toBe(true);
    expect(isSigningKey({ use: 'sig', key_ops: ['verify'] })).toBe(true);
    expect(isSigningKey({ use: 'enc' })).toBe(false);
    expect(isSigningKey({ key_ops: ['encrypt'] })).toBe(false);
    expect(isSigningKey({ key_ops: 'verify' })).toBe(false);
  });
});

test('the required members leave the private half behind, in the order of RFC 7638', () => {
  const members = requiredMembers({ kty: 'RSA', n: 'n', e: 'e', d: 'secret', kid: 'k' });
  expect(JSON.stringify(members)).toBe('{"e":"e","kty":"RSA","n":"n"}');
  expect(JSON.stringify(requiredMembers({ kty: 'EC', y: 'y', x: 'x', crv: 'P-256', d: 'd' }))).toBe(
    '{"crv":"P-256","kty":"EC","x":"x","y":"y"}',
  );
  for (const jwk of [
    {},
    { kty: 'oct', k: 'k' },
    { kty: 'RSA', n: 'n' },
    { kty: 'RSA', n: 1, e: 'e' },
    { kty: 'constructor' },
  ]) {
    expect(requiredMembers(jwk)).toBeNull();
  }
});
