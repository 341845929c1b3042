import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { MasterKey } from './master-key.ts';

/** The only place in the database where a sealed value can be opened. */
export interface SealedPlace {
  readonly orgId: string;
  readonly table: string;
  readonly column: string;
  /** The row's id within the org. */
  readonly row: string;
}

/** The value cannot be opened: another key, another place, or changed bytes. */
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

/** Each part is preceded by its length, so that no two places have the same bytes, whatever their names contain. */
function associatedData({ orgId, table, column, row }: SealedPlace, header: Buffer): Buffer {
  const parts = [orgId, table, column, row].flatMap((part) => {
    const bytes = Buffer.from(part, 'utf8');
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return [length, bytes];
  });
  return Buffer.concat([header, ...parts]);
}

/** Each column has its own key, because random nonces of 96 bits are safe for 2^32 values only. */
const purposeOf = ({ table, column }: SealedPlace): string => `seal/${JSON.stringify([table, column])}`;

/**
 * Encrypts a value for its place with AES-256-GCM. Layout: version (1 byte), key id (8), nonce (12), ciphertext, tag
 * (16); version, key id and place are authenticated with it.
 */
export function seal(masterKey: MasterKey, place: SealedPlace, plaintext: string | Uint8Array): Buffer {
  const header = Buffer.concat([Buffer.of(VERSION), Buffer.from(masterKey.id, 'hex')]);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', masterKey.subkey(purposeOf(place)), nonce);
  cipher.setAAD(associatedData(place, header));
  const ciphertext = Buffer.concat([cipher.update(Buffer.from(plaintext)), cipher.final()]);
  return Buffer.concat([header, nonce, ciphertext, cipher.getAuthTag()]);
}

/** The id of the key that sealed the value. Throws SealError when it is not a sealed value. */
export function sealingKeyId(sealed: Uint8Array): string {
  if (sealed.length < TEXT_START + TAG_BYTES || sealed[0] !== VERSION) throw new SealError('Not a sealed value.');
  return Buffer.from(sealed).subarray(1, NONCE_START).toString('hex');
}

/**
 * Decrypts a value that `seal` made for this place. Throws SealError, which reveals at most the id of the key that is
 * needed.
 */
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

/** `unseal` for text. */
export const unsealText = (masterKey: MasterKey, place: SealedPlace, sealed: Uint8Array): string =>
  unseal(masterKey, place, sealed).toString('utf8');
