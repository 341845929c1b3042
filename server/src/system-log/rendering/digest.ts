import { createHash } from 'node:crypto';

/** The name of the chain's format. A different format would need a different label. */
export const CHAIN_LABEL = 'gatehouse-log-v1';

/**
 * The number of random bytes that are hashed before each body. Without them, an erased body could be guessed from its
 * digest.
 */
export const SALT_BYTES = 32;

/** The previous hash of an org's first event. */
export const GENESIS_HASH: Buffer = Buffer.alloc(32);

/**
 * Computes the SHA-256 of the salt, followed by the UTF-8 bytes of the stored body. The salt needs no length prefix,
 * because its length is fixed.
 */
export const bodyDigest = (salt: Buffer, body: string): Buffer =>
  createHash('sha256').update(salt).update(body, 'utf8').digest();

/** Returns the UTF-8 bytes of a body and its `bodyDigest`, encoding the body only once. */
export function saltedBody(salt: Buffer, text: string): { readonly body: Buffer; readonly digest: Buffer } {
  const bytes = Buffer.allocUnsafe(salt.length + Buffer.byteLength(text));
  salt.copy(bytes);
  bytes.write(text, salt.length);
  return { body: bytes.subarray(salt.length), digest: createHash('sha256').update(bytes).digest() };
}

/**
 * Computes the SHA-256 of the label, org id, position (8 bytes, big-endian), digest and previous hash, as `log_hash`
 * does in SQL. Each field is preceded by its length (4 bytes, big-endian), so that no two lists of fields give the same
 * bytes.
 */
export function chainHash(orgId: string, position: number, digest: Buffer, previous: Buffer): Buffer {
  const positionBytes = Buffer.alloc(8);
  positionBytes.writeBigInt64BE(BigInt(position));
  const hash = createHash('sha256');
  for (const field of [Buffer.from(CHAIN_LABEL), Buffer.from(orgId, 'utf8'), positionBytes, digest, previous]) {
    const length = Buffer.alloc(4);
    length.writeInt32BE(field.length);
    hash.update(length).update(field);
  }
  return hash.digest();
}
