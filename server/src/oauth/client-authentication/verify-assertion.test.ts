import { generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { toOrgId } from '../../kernel/words/ids.ts';
import { namespaceOf } from '../../kernel/words/namespace.ts';
import type { ClientCredentials } from '../../management/apps/index.ts';
import { masterKeyOf } from '../../platform/crypto/index.ts';
import { systemContext } from '../../system-log/index.ts';
import type { ClientKey } from './assertion-rules.ts';
import { type ParsedJws, parseJws } from './jws-rules.ts';
import { refusalOfAssertion } from './verify-assertion.ts';

const now = new Date('2026-11-21T10:00:00Z');
const path = '/oauth2/v1/token';
const baseUrl = 'https://acme.example';
const context = {
  ...systemContext({ orgId: toOrgId('00oA'), namespace: namespaceOf('svc'), name: 'test', now }),
  baseUrl,
};

const newKey = (kid: string) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key: ClientKey = { kid, jwk: { ...publicKey.export({ format: 'jwk' }) } };
  return { kid, privateKey, key };
};
const [old, rotated] = [newKey('old'), newKey('rotated')];

const client: ClientCredentials = {
  clientId: 'client',
  appId: '0oaApp',
  label: 'Client',
  status: 'ACTIVE',
  applicationType: 'service',
  grantTypes: ['client_credentials'],
  tokenEndpointAuthMethod: 'private_key_jwt',
  takesSecretEitherWay: false,
  dpopBoundAccessTokens: false,
  backchannelRequestSigningAlg: null,
  consentMethod: 'TRUSTED',
  refreshToken: null,
  jwksUri: 'https://client.example/keys',
  keys: [],
  secretHashes: [],
  sealedSecrets: [],
  scopes: [],
  roles: [],
  validAfter: now,
};

async function signedBy({ kid, privateKey }: typeof old, header: { kid?: string } = { kid }): Promise<ParsedJws> {
  const claims = { iss: 'client', sub: 'client', aud: baseUrl + path, exp: now.getTime() / 1_000 + 60 };
  const jws = parseJws(await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', ...header }).sign(privateKey));
  if (jws === null) throw new Error('the test made no JWS');
  return jws;
}

/** Checks a JWT against the key set `first`, or `second` after a refresh. Null means that the set cannot be fetched. */
async function judge(jws: ParsedJws, first: readonly ClientKey[] | null, second: readonly ClientKey[] | null) {
  const asked: boolean[] = [];
  const keysOf = async (_orgId: string, _appId: string, _uri: string, refresh: boolean) => {
    asked.push(refresh);
    return (
      (refresh ? second : first)?.map(({ jwk, kid }) => ({ ...jwk, kty: 'EC', ...(kid !== null && { kid }) })) ?? null
    );
  };
  const ports = { keySets: { keysOf }, isOwnOrigin: () => false, masterKey: masterKeyOf(Buffer.alloc(32, 7)) };
  return { refused: await refusalOfAssertion(ports, context, client, jws, [path]), asked };
}

test('a key that is in the set needs no second look', async () => {
  expect(await judge(await signedBy(old), [old.key], null)).toEqual({ refused: null, asked: [false] });
});

test('a set is asked for again, once, for a kid that it does not have', async () => {
  const jws = await signedBy(rotated);
  const both = [old.key, rotated.key];
  expect(await judge(jws, [old.key], both)).toEqual({ refused: null, asked: [false, true] });
  expect(await judge(jws, [old.key], [old.key])).toEqual({ refused: 'assertionInvalidKid', asked: [false, true] });
  expect(await judge(jws, [old.key], null)).toEqual({ refused: 'remoteKeysUnavailable', asked: [false, true] });
});

test('and where the kid is missing and none of them fits', async () => {
  const jws = await signedBy(rotated, {});
  expect(await judge(jws, [old.key], [rotated.key])).toEqual({ refused: null, asked: [false, true] });
  expect((await judge(jws, [old.key], [old.key])).refused).toBe('assertionInvalidSignature');
});

test('a forged signature of a known kid makes nobody ask', async () => {
  const forged = await signedBy(rotated, { kid: 'old' });
  expect(await judge(forged, [old.key], null)).toEqual({ refused: 'assertionInvalidSignature', asked: [false] });
});

test('a set that cannot be had proves nothing, nor does what the header brings', async () => {
  expect(await judge(await signedBy(old), null, null)).toEqual({ refused: 'remoteKeysUnavailable', asked: [false] });
  const jws = await signedBy(old);
  const bringing = { ...jws, header: { ...jws.header, jku: 'https://evil.example/keys' } };
  expect(await judge(bringing, [old.key], [old.key])).toEqual({ refused: 'assertionInvalidJwt', asked: [] });
});
