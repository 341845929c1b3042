import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { CompactSign, calculateJwkThumbprint } from 'jose';
import { describe, expect, test } from 'vitest';
import { type Jwk, type ParsedJws, parseJws, SIGNATURE_ALGORITHM_NAMES } from './jws-rules.ts';
import { thumbprintOf, verifiesSignature } from './verify-signature.ts';

const CURVES: Readonly<Record<string, string>> = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' };

const newPair = (algorithm: string) =>
  algorithm.startsWith('ES')
    ? generateKeyPairSync('ec', { namedCurve: CURVES[algorithm] ?? '' })
    : generateKeyPairSync('rsa', { modulusLength: 2_048 });

const jwkOf = (key: KeyObject): Jwk => ({ ...key.export({ format: 'jwk' }) });

function parsed(text: string): ParsedJws {
  const jws = parseJws(text);
  if (jws === null) throw new Error('the test made no JWS');
  return jws;
}

const signed = async (alg: string, key: KeyObject): Promise<ParsedJws> =>
  parsed(await new CompactSign(Buffer.from('{"iss":"a"}')).setProtectedHeader({ alg }).sign(key));

describe.each(SIGNATURE_ALGORITHM_NAMES)('%s', (algorithm) => {
  test('holds for the key that made it and for no other', async () => {
    const { privateKey, publicKey } = newPair(algorithm);
    const jws = await signed(algorithm, privateKey);
    expect(verifiesSignature(jws, algorithm, jwkOf(publicKey))).toBe(true);
    expect(verifiesSignature(jws, algorithm, jwkOf(newPair(algorithm).publicKey))).toBe(false);
    expect(verifiesSignature({ ...jws, signingInput: `${jws.signingInput}A` }, algorithm, jwkOf(publicKey))).toBe(
      false,
    );
    expect(verifiesSignature({ ...jws, signature: Buffer.alloc(0) }, algorithm, jwkOf(publicKey))).toBe(false);
  });

  test('is checked by no key of another kind, whatever the header says', async () => {
    const { privateKey } = newPair(algorithm);
    const jws = await signed(algorithm, privateKey);
    for (const jwk of [
      jwkOf(newPair(algorithm === 'ES256' ? 'RS256' : 'ES256').publicKey),
      { kty: 'oct', k: 'AAAA' },
      {},
    ]) {
      expect(verifiesSignature(jws, algorithm, jwk)).toBe(false);
    }
  });
});

test('a MAC made with the public key as its secret never holds', () => {
  const { publicKey } = newPair('RS256');
  const pem = publicKey.export({ format: 'pem', type: 'spki' });
  const input = `${Buffer.from('{"alg":"HS256"}').toString('base64url')}.e30`;
  const jws = parsed(`${input}.${createHmac('sha256', pem).update(input).digest('base64url')}`);
  for (const algorithm of SIGNATURE_ALGORITHM_NAMES) {
    expect(verifiesSignature(jws, algorithm, jwkOf(publicKey))).toBe(false);
  }
});

test('keys that are too weak, off their curve or broken check nothing', async () => {
  const weak = generateKeyPairSync('rsa', { modulusLength: 1_024 });
  const { publicKey } = newPair('ES256');
  const point = jwkOf(publicKey);
  const jws = parsed(`${Buffer.from('{"alg":"RS256"}').toString('base64url')}.e30.AAAA`);
  expect(verifiesSignature(jws, 'RS256', jwkOf(weak.publicKey))).toBe(false);
  expect(verifiesSignature(jws, 'ES256', { ...point, y: point['x'] })).toBe(false);
  expect(verifiesSignature(jws, 'RS256', { kty: 'RSA', n: 'AQ', e: 'AQAB' })).toBe(false);
  expect(verifiesSignature(await signed('RS256', newPair('RS256').privateKey), 'RS256', jwkOf(weak.publicKey))).toBe(
    false,
  );
});

test('the thumbprint is the one of RFC 7638', async () => {
  for (const algorithm of ['RS256', 'ES256']) {
    const jwk = { ...newPair(algorithm).publicKey.export({ format: 'jwk' }) };
    expect(thumbprintOf({ ...jwk, kid: 'x', use: 'sig' })).toBe(await calculateJwkThumbprint(jwk));
  }
  expect(thumbprintOf({ kty: 'oct', k: 'AAAA' })).toBeNull();
});
