import { hash } from 'node:crypto';

/** The name of the chain's format. A different format would need a different label. */
export const CHAIN_LABEL = 'gatehouse-log-v1';

/**
 * The number of random bytes that are hashed before each body. Without them, an erased body could be guessed from its
 * digest.
 */
export const SALT_BYTES = 32;

/** The previous hash of an org's first event. */
export const GENESIS_HASH: Buffer = Buffer.alloc(32);

/** A digest that Node returns as a Buffer has memory of its own, which costs as much as hashing a short text. */
const sha256 = (bytes: Uint8Array): Buffer => Buffer.from(hash('sha256', bytes, 'binary'), 'binary');

/** Returns the UTF-8 bytes of a body and its `bodyDigest`, encoding the body only once. */
export function saltedBody(salt: Buffer, text: string): { readonly body: Buffer; readonly digest: Buffer } {
  const bytes = Buffer.allocUnsafe(salt.length + Buffer.byteLength(text));
  salt.copy(bytes);
  bytes.write(text, salt.length);
  return { body: bytes.subarray(salt.length), digest: sha256(bytes) };
}

/**
 * Computes the SHA-256 of the salt, followed by the UTF-8 bytes of the stored body. The salt needs no length prefix,
 * because its length is fixed.
 */
export const bodyDigest = (salt: Buffer, body: string): Buffer => saltedBody(salt, body).digest;

/**
 * Computes the SHA-256 of the label, org id, position (8 bytes, big-endian), digest and previous hash, as `log_hash`
 * does in SQL. Each field is preceded by its length (4 bytes, big-endian), so that no two lists of fields give the same
 * bytes.
 */
export function chainHash(orgId: string, position: number, digest: Buffer, previous: Buffer): Buffer {
  const fieldBytes = CHAIN_LABEL.length + Buffer.byteLength(orgId) + 8 + digest.length + previous.length;
  const bytes = Buffer.allocUnsafe(fieldBytes + 5 * 4);
  let at = 0;
  for (const text of [CHAIN_LABEL, orgId]) {
    const length = bytes.write(text, at + 4);
    bytes.writeInt32BE(length, at);
    at += 4 + length;
  }
  at = bytes.writeInt32BE(8, at);
  at = bytes.writeBigInt64BE(BigInt(position), at);
  for (const field of [digest, previous]) {
    at = bytes.writeInt32BE(field.length, at);
    at += field.copy(bytes, at);
  }
  return sha256(bytes);
}
