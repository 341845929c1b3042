import { createCipheriv, createDecipheriv, createHash, createHmac, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { nameKey } from '../../kernel/texts/text.ts';
import { TransferError } from '../formats/raw-rows.ts';

const derive: (
  secret: string,
  salt: Buffer,
  length: number,
  options: { readonly N: number; readonly r: number; readonly p: number; readonly maxmem: number },
) => Promise<unknown> = promisify(scrypt);

/** Each guess at the passphrase takes 128 MiB of memory. */
const COSTS = { N: 131_072, r: 8, p: 1 } as const;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Sealing is deterministic, so that two exports of an unchanged org with the same passphrase are identical. */
export interface SecretEnvelope {
  seal(place: string, secret: string): string;
  /** Throws TransferError if the passphrase is wrong, or if the secret was changed or sealed for another place. */
  open(place: string, sealed: string): string;
}

/**
 * Creates an envelope that seals with AES-256-GCM. scrypt (RFC 7914) derives two keys from the passphrase and the org
 * id. The nonce is an HMAC of the place and the secret under the second key, like the synthetic IV of RFC 5297.
 */
export async function secretEnvelope(passphrase: string, orgId: string): Promise<SecretEnvelope> {
  const salt = createHash('sha256').update(`gatehouse org export 1 ${orgId}`).digest();
  const derived = await derive(nameKey(passphrase), salt, 2 * KEY_BYTES, { ...COSTS, maxmem: 256 * 1_048_576 });
  const keys = Buffer.isBuffer(derived) ? derived : Buffer.alloc(0);
  const encryption = keys.subarray(0, KEY_BYTES);
  const nonces = keys.subarray(KEY_BYTES);
  return {
    seal(place, secret) {
      const nonce = createHmac('sha256', nonces).update(`${place.length}:${place}${secret}`).digest();
      const cipher = createCipheriv('aes-256-gcm', encryption, nonce.subarray(0, NONCE_BYTES));
      cipher.setAAD(Buffer.from(place, 'utf8'));
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce.subarray(0, NONCE_BYTES), text, cipher.getAuthTag()]).toString('base64url');
    },
    open(place, sealed) {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new TransferError(`The secret of ${place} is malformed.`);
      const decipher = createDecipheriv('aes-256-gcm', encryption, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(place, 'utf8'));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch {
        throw new TransferError(
          `The secret of ${place} can't be decrypted. The passphrase is wrong, or the file has been changed.`,
        );
      }
    },
  };
}
