import { createHash, generateKeyPairSync } from 'node:crypto';
import { calculateJwkThumbprint, type JWK, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { type DpopRequest, verifyDpopProof } from './verify-proof.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwk = publicKey.export({ format: 'jwk' }) as JWK;
const now = new Date('2026-11-21T10:00:00Z');
const seconds = now.getTime() / 1_000;
const uri = 'https://acme.example/oauth2/v1/token';
const good = { htm: 'POST', htu: uri, iat: seconds, jti: 'one' };

const proofOf = (claims: Record<string, unknown>, header: Record<string, unknown> = {}): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk, ...header }).sign(privateKey);

const check = (proof: string, more: Partial<DpopRequest> = {}) =>
  verifyDpopProof({ proof, method: 'POST', uri, now, ...more });

describe('a DPoP proof', () => {
  test('says by which key it was made', async () => {
    const verdict = check(await proofOf(good));
    expect(verdict).toMatchObject({ ok: true, jkt: await calculateJwkThumbprint(jwk), jti: 'one' });
  });

  test.each([
    ['an address in another spelling', { htu: 'HTTPS://ACME.example:443/oauth2/v1/token?a#b' }],
    ['a key with more members', {}],
    ['an old clock, within a minute', { iat: seconds - 60 }],
  ])('takes %s', async (_, claims) => {
    expect(check(await proofOf({ ...good, ...claims }, { jwk: { ...jwk, kid: 'extra' } })).ok).toBe(true);
  });

  test.each([
    ['another method', { ...good, htm: 'GET' }, {}, 'dpopInvalidHtm'],
    ['another address', { ...good, htu: 'https://acme.example/oauth2/v1/revoke' }, {}, 'dpopInvalidHtu'],
    ['another host', { ...good, htu: 'https://evil.example/oauth2/v1/token' }, {}, 'dpopInvalidHtu'],
    ['no address', { ...good, htu: '/oauth2/v1/token' }, {}, 'dpopInvalidHtu'],
    ['no jti', { ...good, jti: undefined }, {}, 'dpopInvalidJti'],
    ['a long jti', { ...good, jti: 'a'.repeat(256) }, {}, 'dpopInvalidJti'],
    ['no iat', { ...good, iat: undefined }, {}, 'dpopInvalidIat'],
    ['an iat ahead', { ...good, iat: seconds + 61 }, {}, 'dpopIssuedInFuture'],
    ['an iat long past', { ...good, iat: seconds - 61 }, {}, 'dpopTooOld'],
    ['another type', good, { typ: 'JWT' }, 'dpopInvalidType'],
    ['a key by address', good, { jku: 'https://evil.example' }, 'dpopInvalidJwt'],
    ['no key', good, { jwk: undefined }, 'dpopInvalidJwt'],
    ['a private key', good, { jwk: privateKey.export({ format: 'jwk' }) }, 'dpopInvalidJwt'],
    [
      'another key',
      good,
      { jwk: generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }) },
      'dpopInvalidSignature',
    ],
    ['a secret as key', good, { jwk: { kty: 'oct' } }, 'dpopInvalidSignature'],
  ])('with %s is refused', async (_, claims, header, reason) => {
    expect(check(await proofOf(claims, header))).toEqual({ ok: false, reason });
  });

  test('without a signature, by a MAC, or twice is refused', async () => {
    const proof = await proofOf(good);
    const [, claims] = proof.split('.');
    const header = (alg: string) => Buffer.from(JSON.stringify({ alg, typ: 'dpop+jwt', jwk })).toString('base64url');
    expect(check(`${header('none')}.${claims}.`)).toEqual({ ok: false, reason: 'dpopInvalidJwt' });
    expect(check(`${header('HS256')}.${claims}.AAAA`)).toEqual({ ok: false, reason: 'dpopInvalidAlgorithm' });
    expect(check(`${proof}, ${proof}`)).toEqual({ ok: false, reason: 'dpopProofMultiple' });
    expect(check('garbage')).toEqual({ ok: false, reason: 'dpopInvalidJwt' });
  });

  test('at a resource holds the hash of the token that comes with it', async () => {
    const ath = createHash('sha256').update('token').digest('base64url');
    expect(check(await proofOf({ ...good, ath }), { accessToken: 'token' }).ok).toBe(true);
    for (const claims of [good, { ...good, ath: 'other' }]) {
      const verdict = check(await proofOf(claims), { accessToken: 'token' });
      expect(verdict).toEqual({ ok: false, reason: 'dpopInvalidAth' });
    }
  });

  test('where a nonce is asked for, a fresh one stands in for the clock', async () => {
    const isFreshNonce = (nonce: string) => nonce === 'fresh';
    const old = { ...good, iat: seconds - 200 };
    expect(check(await proofOf({ ...old, nonce: 'fresh' }), { isFreshNonce }).ok).toBe(true);
    for (const nonce of [undefined, 'stale', 1]) {
      const verdict = check(await proofOf({ ...good, nonce }), { isFreshNonce });
      expect(verdict).toEqual({ ok: false, reason: 'useDpopNonce' });
    }
    const tooOld = await proofOf({ ...good, iat: seconds - 301, nonce: 'fresh' });
    expect(check(tooOld, { isFreshNonce })).toEqual({ ok: false, reason: 'dpopTooOld' });
  });
});
