import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { MasterKey } from './master-key.ts';

/** The column and row of the database for which a value is sealed. A sealed value cannot be opened anywhere else. */
export interface SealedPlace {
  readonly orgId: string;
  readonly table: string;
  readonly column: string;
  /** The key of the row within the org. If the key has several columns, their values are joined. */
  readonly row: string;
}

/** This error is thrown when a sealed value cannot be opened. */
export class SealError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SealError';
  }
}

const VERSION = 1;
const KEY_ID_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const NONCE_START = 1 + KEY_ID_BYTES;
const TEXT_START = NONCE_START + NONCE_BYTES;

/**
 * Returns the header and the place as bytes. Each part of the place follows its length, so that no two places have the
 * same bytes.
 */
function associatedData({ orgId, table, column, row }: SealedPlace, header: Buffer): Buffer {
  const parts = [orgId, table, column, row].flatMap((part) => {
    const bytes = Buffer.from(part, 'utf8');
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return [length, bytes];
  });
  return Buffer.concat([header, ...parts]);
}

/** Each column has its own key, because random nonces of 96 bits are safe for only 2^32 values per key. */
const purposeOf = ({ table, column }: SealedPlace): string => `seal/${JSON.stringify([table, column])}`;

/** Encrypts a value with AES-256-GCM. Returns the version (1 byte), key id (8), nonce (12), ciphertext and tag (16). */
export function seal(masterKey: MasterKey, place: SealedPlace, plaintext: string | Uint8Array): Buffer {
  const header = Buffer.concat([Buffer.of(VERSION), Buffer.from(masterKey.id, 'hex')]);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', masterKey.subkey(purposeOf(place)), nonce);
  cipher.setAAD(associatedData(place, header));
  const ciphertext = Buffer.concat([cipher.update(Buffer.from(plaintext)), cipher.final()]);
  return Buffer.concat([header, nonce, ciphertext, cipher.getAuthTag()]);
}

export function sealingKeyId(sealed: Uint8Array): string {
  if (sealed.length < TEXT_START + TAG_BYTES || sealed[0] !== VERSION) throw new SealError('Not a sealed value.');
  return Buffer.from(sealed).subarray(1, NONCE_START).toString('hex');
}

/** Throws SealError if the value cannot be opened. */
export function unseal(masterKey: MasterKey, place: SealedPlace, sealed: Uint8Array): Buffer {
  const keyId = sealingKeyId(sealed);
  const opening = [masterKey, masterKey.previous].find((key) => key?.id === keyId);
  if (opening === undefined || opening === null) {
    throw new SealError(`Sealed with key ${keyId}, but the master key is ${masterKey.id}.`);
  }
  const bytes = Buffer.from(sealed);
  const nonce = bytes.subarray(NONCE_START, TEXT_START);
  const key = opening.subkey(purposeOf(place));
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(associatedData(place, bytes.subarray(0, NONCE_START)));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(TEXT_START, -TAG_BYTES)), decipher.final()]);
  } catch {
    throw new SealError(`The sealed value of ${place.table}.${place.column} was changed or belongs to another row.`);
  }
}

export const unsealText = (masterKey: MasterKey, place: SealedPlace, sealed: Uint8Array): string =>
  unseal(masterKey, place, sealed).toString('utf8');
