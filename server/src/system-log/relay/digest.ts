import { createHash } from 'node:crypto';

/** Names the format of the chain; another format gets another label. */
export const CHAIN_LABEL = 'gatehouse-log-v1';

/** Bytes of the random salt before each body, without which an erased body could be guessed from its digest. */
export const SALT_BYTES = 32;

/** The previous hash of an org's first event, which has no predecessor. */
export const GENESIS_HASH: Buffer = Buffer.alloc(32);

/** SHA-256 of salt (fixed length) and the body's UTF-8 bytes as stored. */
export const bodyDigest = (salt: Buffer, body: string): Buffer =>
  createHash('sha256').update(salt).update(body, 'utf8').digest();

/** A body's UTF-8 bytes and their digest. The buffer is made once, and then both hashed and sent. */
export function saltedBody(salt: Buffer, text: string): { readonly body: Buffer; readonly digest: Buffer } {
  const bytes = Buffer.allocUnsafe(salt.length + Buffer.byteLength(text));
  salt.copy(bytes);
  bytes.write(text, salt.length);
  return { body: bytes.subarray(salt.length), digest: createHash('sha256').update(bytes).digest() };
}

/**
 * Hash of one event: SHA-256 over label, org, position (8 bytes, big endian), digest and previous hash, each preceded
 * by its length (4 bytes, big endian), so that no two lists of fields give the same bytes. `log_hash` in SQL computes
 * the same.
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
