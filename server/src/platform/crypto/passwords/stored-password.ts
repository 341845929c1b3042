export type DigestName = 'SHA-512' | 'SHA-256' | 'SHA-1' | 'MD5';

/** A PHC string of argon2id, the format of our own hashes. They are made from the NFC form of the password. */
export interface Argon2idHash {
  readonly algorithm: 'ARGON2ID';
  readonly encoded: string;
}

/** `salt` has 22 characters and `value` has 31, both in bcrypt's radix 64. */
export interface BcryptHash {
  readonly algorithm: 'BCRYPT';
  readonly workFactor: number;
  readonly salt: string;
  readonly value: string;
}

/** One round of a digest, in base64. `salt` is null if the source had none. */
export interface DigestHash {
  readonly algorithm: DigestName;
  readonly salt: string | null;
  readonly saltOrder: 'PREFIX' | 'POSTFIX';
  readonly value: string;
}

/** `SHA1_HMAC` comes only from other systems' files. The API does not accept it. */
export type Pbkdf2Digest = 'SHA1_HMAC' | 'SHA256_HMAC' | 'SHA512_HMAC';

/** The length of an output block of PBKDF2 in bytes. Computing a block takes all iterations. */
export const PBKDF2_DIGEST_BYTES: Readonly<Record<Pbkdf2Digest, number>> = {
  SHA1_HMAC: 20,
  SHA256_HMAC: 32,
  SHA512_HMAC: 64,
};

/** `keySize` is in bytes. `salt` and `value` are in base64. */
export interface Pbkdf2Hash {
  readonly algorithm: 'PBKDF2';
  readonly iterationCount: number;
  readonly keySize: number;
  readonly digestAlgorithm: Pbkdf2Digest;
  readonly salt: string;
  readonly value: string;
}

/**
 * `cost`, `blockSize` and `parallelization` are N, r and p of RFC 7914. `keySize` is in bytes. `salt` and `value` are
 * in base64.
 */
export interface ScryptHash {
  readonly algorithm: 'SCRYPT';
  readonly cost: number;
  readonly blockSize: number;
  readonly parallelization: number;
  readonly keySize: number;
  readonly salt: string;
  readonly value: string;
}

/** A hash of a kind that only other systems make. */
export type ImportedHash = BcryptHash | DigestHash | Pbkdf2Hash | ScryptHash;

export type StoredPassword = Argon2idHash | ImportedHash;

/** `memoryCost` is in KiB, `timeCost` in passes and `parallelism` in lanes. */
export interface Argon2Parameters {
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

export const DEFAULT_ARGON2_PARAMETERS: Argon2Parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** The highest cost of one hash. A forged row must not be able to exhaust the machine. */
export const MAXIMUM_ARGON2_PARAMETERS: Argon2Parameters = { memoryCost: 262_144, timeCost: 16, parallelism: 16 };

const ENCODED = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,3})\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{22,86}$/;

export const areBounded = (parameters: Argon2Parameters): boolean =>
  (['memoryCost', 'timeCost', 'parallelism'] as const).every(
    (name) =>
      Number.isInteger(parameters[name]) &&
      parameters[name] >= 1 &&
      parameters[name] <= MAXIMUM_ARGON2_PARAMETERS[name],
  );

/** Returns null if the string is malformed or a parameter is out of bounds. */
export function parametersOf(encoded: string): Argon2Parameters | null {
  const [, memoryCost, timeCost, parallelism] = ENCODED.exec(encoded) ?? [];
  const parameters = {
    memoryCost: Number(memoryCost),
    timeCost: Number(timeCost),
    parallelism: Number(parallelism),
  };
  return areBounded(parameters) ? parameters : null;
}
