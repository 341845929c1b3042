import {
  type Argon2Parameters,
  PBKDF2_DIGEST_BYTES,
  type Pbkdf2Digest,
  type Pbkdf2Hash,
  parametersOf,
  type StoredPassword,
} from './stored-password.ts';

/** Running times are measured per kind, so that slow hashes of one kind do not distort the times of another. */
export type CostKind = 'ARGON2ID' | 'BCRYPT' | 'SCRYPT' | Pbkdf2Digest | 'DIGEST';

export const COST_KINDS: readonly CostKind[] = [
  'ARGON2ID',
  'BCRYPT',
  'SCRYPT',
  'SHA1_HMAC',
  'SHA256_HMAC',
  'SHA512_HMAC',
  'DIGEST',
];

/** An amount of work: its kind, and a number of units, whose size depends on the kind. */
export interface Cost {
  readonly kind: CostKind;
  readonly units: number;
}

export const costOfArgon2 = ({ memoryCost, timeCost }: Argon2Parameters): Cost => ({
  kind: 'ARGON2ID',
  units: memoryCost * timeCost,
});

function costOfPbkdf2({ digestAlgorithm, iterationCount, keySize }: Pbkdf2Hash): Cost {
  const blocks = Math.ceil(keySize / PBKDF2_DIGEST_BYTES[digestAlgorithm]);
  return { kind: digestAlgorithm, units: iterationCount * blocks };
}

export function costOf(stored: StoredPassword): Cost {
  if (stored.algorithm === 'BCRYPT') return { kind: 'BCRYPT', units: 2 ** stored.workFactor };
  if (stored.algorithm === 'PBKDF2') return costOfPbkdf2(stored);
  if (stored.algorithm === 'SCRYPT') {
    return { kind: 'SCRYPT', units: stored.cost * stored.blockSize * stored.parallelization };
  }
  if (stored.algorithm !== 'ARGON2ID') return { kind: 'DIGEST', units: 1 };
  const used = parametersOf(stored.encoded);
  return used === null ? { kind: 'ARGON2ID', units: 1 } : costOfArgon2(used);
}

/** The milliseconds per unit that are assumed before anything is measured. */
export const REFERENCE_RATES: Readonly<Record<CostKind, number>> = {
  ARGON2ID: 0.0003,
  BCRYPT: 0.05,
  SCRYPT: 0.00025,
  SHA1_HMAC: 0.00018,
  SHA256_HMAC: 0.00019,
  SHA512_HMAC: 0.0004,
  DIGEST: 0.05,
};

/** The highest accepted costs of imported hashes. They are fixed so that all machines agree (ADR 0057). */
export const IMPORT_LIMITS: Readonly<Record<Exclude<CostKind, 'DIGEST'>, number>> = {
  ARGON2ID: 786_432,
  BCRYPT: 2 ** 12,
  SCRYPT: 2 ** 20,
  SHA1_HMAC: 1_300_000,
  SHA256_HMAC: 1_300_000,
  SHA512_HMAC: 600_000,
};

/** The limits that applied before `IMPORT_LIMITS` existed. Hashes stored under these limits stay valid. */
export const STORED_LIMITS: typeof IMPORT_LIMITS = {
  ARGON2ID: 262_144 * 16,
  BCRYPT: 2 ** 14,
  SCRYPT: 2 ** 21,
  SHA1_HMAC: 2_000_000,
  SHA256_HMAC: 1_300_000,
  SHA512_HMAC: 1_000_000,
};
