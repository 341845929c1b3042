import { createPublicKey } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { toOrgId } from '../../../kernel/words/ids.ts';
import { makeKeyPair, masterKeyOf, SealError, seal } from '../../../platform/crypto/index.ts';
import { type MadeSigningKey, makeSigningKey, openSigningKey } from './make-signing-key.ts';

const masterKey = masterKeyOf(Buffer.alloc(32, 7));
const orgId = toOrgId('00oone');
let made: MadeSigningKey;
let other: MadeSigningKey;

beforeAll(async () => {
  made = await makeSigningKey({ makeKeyPair, masterKey }, orgId);
  other = await makeSigningKey({ makeKeyPair, masterKey }, orgId);
});

const changedAt = (bytes: Buffer, place: number): Buffer =>
  Buffer.from(bytes.map((byte, at) => (at === place ? 255 - byte : byte)));

describe('a signing key', () => {
  test('is an RSA key of 2048 bits, named by its RFC 7638 thumbprint', async () => {
    expect(made.kid).toBe(await calculateJwkThumbprint({ ...made.publicJwk }));
    const publicKey = createPublicKey({ key: { ...made.publicJwk }, format: 'jwk' });
    expect(publicKey.asymmetricKeyDetails?.modulusLength).toBe(2_048);
    expect(Object.keys(made.publicJwk).sort()).toEqual(['e', 'kty', 'n']);
    expect(other.kid).not.toBe(made.kid);
  });

  test('opens with the master key, for its row', () => {
    const key = openSigningKey(masterKey, orgId, made.kid, made.sealedKey);
    expect(createPublicKey(key).export({ format: 'jwk' })).toMatchObject(made.publicJwk);
  });

  test('nothing of the private part stands in the sealed value', () => {
    expect(made.sealedKey.toString('latin1')).not.toContain('PRIVATE');
  });

  test.each([
    ['another master key', () => openSigningKey(masterKeyOf(Buffer.alloc(32, 8)), orgId, made.kid, made.sealedKey)],
    ['another org', () => openSigningKey(masterKey, toOrgId('00otwo'), made.kid, made.sealedKey)],
    ['another row', () => openSigningKey(masterKey, orgId, other.kid, made.sealedKey)],
    ['a changed byte', () => openSigningKey(masterKey, orgId, made.kid, changedAt(made.sealedKey, 40))],
  ])('does not open with %s', (_, open) => {
    expect(open).toThrow(SealError);
  });

  test('does not open as the half of another key, even if it was sealed for its row', () => {
    const key = openSigningKey(masterKey, orgId, other.kid, other.sealedKey);
    const place = { orgId, table: 'signing_keys', column: 'sealed_key', row: made.kid };
    const swapped = seal(masterKey, place, key.export({ type: 'pkcs8', format: 'pem' }));
    expect(() => openSigningKey(masterKey, orgId, made.kid, swapped)).toThrow('does not belong');
  });
});
