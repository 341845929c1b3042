import { hkdfSync, randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../../kernel/errors/operator-error.ts';
import { createOnce, readIfPresent } from './key-files.ts';
import { constantTimeEqual } from './secrets.ts';

export const KEY_BYTES = 32;

/** The source of the master key: the setting itself, a file that the operator keeps, or the file in the data folder. */
export type MasterKeySource =
  | { readonly kind: 'key'; readonly base64: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'dataDirectory'; readonly dataDirectory: string };

export interface MasterKey {
  /** 16 hex digits derived from the key. They identify the key that sealed a value. */
  readonly id: string;
  /** Derives a key of 32 bytes for one purpose. */
  subkey(purpose: string): Buffer;
  /**
   * The previous key, while the installation moves to a new one; null otherwise. It opens sealed values but seals none.
   */
  readonly previous: MasterKey | null;
  /** 64 hex digits that are stored in the database, so that a start with another key is refused. */
  readonly checkValue: string;
}

/** The message is for the operator and must not contain a key. */
export class MasterKeyError extends OperatorError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MasterKeyError';
  }
}

/** Makes a master key from 32 bytes. Subkeys are derived with HKDF-SHA-256 (RFC 5869), with the purpose in `info`. */
export function masterKeyOf(bytes: Uint8Array): MasterKey {
  if (bytes.length !== KEY_BYTES) throw new MasterKeyError(`A master key has ${KEY_BYTES} bytes, not ${bytes.length}.`);
  const secret = Buffer.from(bytes);
  const derive = (purpose: string): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), `gatehouse-v1/${purpose}`, KEY_BYTES));
  const subkeys = new Map<string, Buffer>();
  return {
    id: derive('key id').subarray(0, 8).toString('hex'),
    checkValue: derive('key check').toString('hex'),
    previous: null,
    subkey(purpose) {
      // The prefix differs from the two purposes above, so that no subkey equals one of the published values.
      const known = subkeys.get(purpose) ?? derive(`subkey/${purpose}`);
      subkeys.set(purpose, known);
      return known;
    },
  };
}

export const withPrevious = (masterKey: MasterKey, previous: MasterKey): MasterKey => ({ ...masterKey, previous });

/**
 * Returns the subkey of the current key, followed by the previous key's if there is one. New values use the first
 * subkey. Existing values may use either.
 */
export const subkeysOf = (masterKey: MasterKey, purpose: string): readonly [Buffer, ...Buffer[]] => [
  masterKey.subkey(purpose),
  ...(masterKey.previous === null ? [] : [masterKey.previous.subkey(purpose)]),
];

export const matchesCheckValue = (masterKey: MasterKey, checkValue: string): boolean =>
  constantTimeEqual(masterKey.checkValue, checkValue);

function decode(text: string, where: string): MasterKey {
  const trimmed = text.trim();
  if (!/^[A-Za-z0-9+/]{43}=$/.test(trimmed)) {
    throw new MasterKeyError(`${where} must hold ${KEY_BYTES} bytes in base64 (openssl rand -base64 ${KEY_BYTES}).`);
  }
  return masterKeyOf(Buffer.from(trimmed, 'base64'));
}

async function readKeyFile(path: string): Promise<MasterKey> {
  const text = await readIfPresent(path).catch((cause: unknown) => {
    throw new MasterKeyError(`The master key's file ${path} can't be read.`, { cause });
  });
  if (text === null) throw new MasterKeyError(`There is no master key file ${path}.`);
  return decode(text, path);
}

/** If the source is a data folder, the first call creates `master.key` there with mode 0600. */
export async function loadMasterKey(
  source: MasterKeySource,
  setting: 'GATEHOUSE_MASTER_KEY' | 'GATEHOUSE_MASTER_KEY_PREVIOUS' = 'GATEHOUSE_MASTER_KEY',
): Promise<MasterKey> {
  if (source.kind === 'key') return decode(source.base64, setting);
  if (source.kind === 'file') return readKeyFile(source.path);
  const path = join(source.dataDirectory, 'master.key');
  await mkdir(source.dataDirectory, { recursive: true });
  const text =
    (await readIfPresent(path)) ?? (await createOnce(path, `${randomBytes(KEY_BYTES).toString('base64')}\n`));
  return decode(text, path);
}
