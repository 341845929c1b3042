import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { bodyDigest, chainHash, GENESIS_HASH } from './digest.ts';

test('the bytes under the hash are the documented ones', () => {
  const digest = Buffer.alloc(32, 7);
  const input = Buffer.concat([
    Buffer.from('00000010', 'hex'),
    Buffer.from('gatehouse-log-v1'),
    Buffer.from('00000003', 'hex'),
    Buffer.from('00o'),
    Buffer.from('00000008', 'hex'),
    Buffer.from('0000000000000102', 'hex'),
    Buffer.from('00000020', 'hex'),
    digest,
    Buffer.from('00000020', 'hex'),
    GENESIS_HASH,
  ]);
  expect(chainHash('00o', 258, digest, GENESIS_HASH)).toEqual(createHash('sha256').update(input).digest());
});

test('every field changes the hash', () => {
  const digest = Buffer.alloc(32, 7);
  const hashes = [
    chainHash('00o', 1, digest, GENESIS_HASH),
    chainHash('00p', 1, digest, GENESIS_HASH),
    chainHash('00o', 2, digest, GENESIS_HASH),
    chainHash('00o', 1, Buffer.alloc(32, 8), GENESIS_HASH),
    chainHash('00o', 1, digest, Buffer.alloc(32, 1)),
  ];
  expect(new Set(hashes.map((hash) => hash.toString('hex'))).size).toBe(5);
});

test('the digest covers salt and body bytes', () => {
  const salt = Buffer.alloc(32, 1);
  const expected = createHash('sha256')
    .update(Buffer.concat([salt, Buffer.from('{"a":"ü"}')]))
    .digest();
  expect(bodyDigest(salt, '{"a":"ü"}')).toEqual(expected);
  expect(bodyDigest(Buffer.alloc(32, 2), '{"a":"ü"}')).not.toEqual(expected);
});
