import { parseTransferredHash, type TransferredHash } from './imported-hash.ts';
import { PBKDF2_DIGEST_BYTES, type Pbkdf2Digest } from './stored-password.ts';

const BCRYPT = /^\$2[aby]\$(\d\d)\$([./A-Za-z0-9]{22})([./A-Za-z0-9]{31})$/;
/** The forms `$pbkdf2-sha256$i=29000,l=32$salt$hash` (PHC) and `$pbkdf2-sha256$29000$salt$hash` (passlib). */
const PBKDF2 = /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$(?:i=)?(\d{1,9})(?:,l=\d{1,4})?\$([^$]{1,1400})\$([^$]{1,1400})$/;
const SCRYPT = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([^$]{1,1400})\$([^$]{1,1400})$/;

const DIGESTS: Readonly<Record<string, Pbkdf2Digest>> = {
  sha1: 'SHA1_HMAC',
  sha256: 'SHA256_HMAC',
  sha512: 'SHA512_HMAC',
};

/** Decodes base64 without padding. passlib writes a dot instead of the plus sign. */
const bytesOf = (text: string): Buffer => Buffer.from(text.replaceAll('.', '+'), 'base64');

/**
 * Builds the stored form of a PBKDF2 hash. Keeps only the first block, because each further block repeats all
 * iterations.
 */
export function pbkdf2Hash(
  digestAlgorithm: Pbkdf2Digest,
  iterationCount: number,
  salt: Buffer,
  derived: Buffer,
): TransferredHash {
  const value = derived.subarray(0, PBKDF2_DIGEST_BYTES[digestAlgorithm]);
  return parseTransferredHash({
    algorithm: 'PBKDF2',
    digestAlgorithm,
    iterationCount,
    keySize: value.length,
    salt: salt.toString('base64'),
    value: value.toString('base64'),
  });
}

/** Reads a hash in the text form that many systems store (modular crypt format or PHC string format). */
export function readPasswordText(text: string): TransferredHash {
  if (text.startsWith('$argon2id$')) return parseTransferredHash({ algorithm: 'ARGON2ID', encoded: text });
  const [, workFactor, bcryptSalt, bcryptValue] = BCRYPT.exec(text) ?? [];
  if (workFactor !== undefined) {
    return parseTransferredHash({
      algorithm: 'BCRYPT',
      workFactor: Number(workFactor),
      salt: bcryptSalt,
      value: bcryptValue,
    });
  }
  const [pbkdf2, name = 'sha1', iterations, salt = '', value = ''] = PBKDF2.exec(text) ?? [];
  if (pbkdf2 !== undefined) {
    return pbkdf2Hash(DIGESTS[name] ?? 'SHA1_HMAC', Number(iterations), bytesOf(salt), bytesOf(value));
  }
  const [scrypt, logarithm, blockSize, parallelization, scryptSalt = '', scryptValue = ''] = SCRYPT.exec(text) ?? [];
  if (scrypt === undefined) {
    return { problems: ['hash: must be a bcrypt, argon2id, PBKDF2 or scrypt string ($2b$..., $argon2id$...).'] };
  }
  const derived = bytesOf(scryptValue);
  return parseTransferredHash({
    algorithm: 'SCRYPT',
    cost: 2 ** Number(logarithm),
    blockSize: Number(blockSize),
    parallelization: Number(parallelization),
    keySize: derived.length,
    salt: bytesOf(scryptSalt).toString('base64'),
    value: derived.toString('base64'),
  });
}
