import {
  type DigestName,
  type ImportedHash,
  type Pbkdf2Digest,
  parametersOf,
  type StoredPassword,
} from './stored-password.ts';

/** Bytes of each digest; a value of another length was not made by it. */
const DIGEST_BYTES: Readonly<Record<DigestName, number>> = { 'SHA-512': 64, 'SHA-256': 32, 'SHA-1': 20, MD5: 16 };
/** Bytes of an output block of PBKDF2. */
export const PBKDF2_DIGEST_BYTES: Readonly<Record<Pbkdf2Digest, number>> = {
  SHA1_HMAC: 20,
  SHA256_HMAC: 32,
  SHA512_HMAC: 64,
};
/** What the API takes (OpenAPI: PasswordCredentialHash). */
const API_DIGESTS: readonly Pbkdf2Digest[] = ['SHA256_HMAC', 'SHA512_HMAC'];
const ALL_DIGESTS: readonly Pbkdf2Digest[] = ['SHA1_HMAC', ...API_DIGESTS];

/** bcrypt knows no cost under 4. 15 and more hold a worker for over a second: a denial of service. */
const BCRYPT_WORK_FACTORS = { least: 4, most: 14 } as const;
const MINIMUM_ITERATIONS = 4096;
/** Iterations times output blocks; about a second of one core. */
const MAXIMUM_PBKDF2_ROUNDS: Readonly<Record<Pbkdf2Digest, number>> = {
  SHA1_HMAC: 2_000_000,
  SHA256_HMAC: 1_000_000,
  SHA512_HMAC: 1_000_000,
};
/** scrypt: N times r, 128 bytes each, and that times p: 128 MiB and about a second of one core. */
const MAXIMUM_SCRYPT = { memory: 2 ** 20, work: 2 ** 21 } as const;
/** Shorter keys would let other passwords match by chance. */
const KEY_SIZE_BYTES = { least: 16, most: 128 } as const;
const MAXIMUM_SALT_CHARACTERS = 1024;
/** The last character of 16 bytes carries two significant bits, that of 23 bytes four: verifiers take no others. */
const BCRYPT_SALT = /^[./A-Za-z0-9]{21}[.Oeu]$/;
const BCRYPT_VALUE = /^[./A-Za-z0-9]{30}[.CGKOSWaeimquy26]$/;

export interface ImportProblems {
  /** One sentence per wrong member, each beginning with the member's name. */
  readonly problems: readonly string[];
}
type Input = Readonly<Record<string, unknown>>;
type Parsed = ImportedHash | ImportProblems;
export type TransferredHash = StoredPassword | ImportProblems;

/** Length in bytes of strict base64 (padding optional), or null when it is none. */
function base64Bytes(value: unknown): number | null {
  if (typeof value !== 'string' || value === '') return null;
  const bytes = Buffer.from(value, 'base64');
  const canonical = bytes.toString('base64');
  return value === canonical || value === canonical.replace(/={1,2}$/, '') ? bytes.length : null;
}

const isWithin = (value: unknown, least: number, most: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;

const isSalt = (salt: unknown): salt is string =>
  typeof salt === 'string' && salt.length <= MAXIMUM_SALT_CHARACTERS && base64Bytes(salt) !== null;

const SALT_PROBLEM = `salt: must be base64 of at most ${MAXIMUM_SALT_CHARACTERS} characters`;

function parseBcrypt({ workFactor, salt, value }: Input): Parsed {
  const problems: string[] = [];
  const { least, most } = BCRYPT_WORK_FACTORS;
  const hasFactor = isWithin(workFactor, least, most);
  const hasSalt = typeof salt === 'string' && BCRYPT_SALT.test(salt);
  const hasValue = typeof value === 'string' && BCRYPT_VALUE.test(value);
  if (!hasFactor) problems.push(`workFactor: must be a whole number from ${least} to ${most}`);
  if (!hasSalt) problems.push('salt: must be the 22 radix-64 characters of a bcrypt salt');
  if (!hasValue) problems.push('value: must be the 31 radix-64 characters of a bcrypt hash');
  return hasFactor && hasSalt && hasValue ? { algorithm: 'BCRYPT', workFactor, salt, value } : { problems };
}

function parsePbkdf2(
  { iterationCount, keySize, digestAlgorithm, salt, value }: Input,
  digests: readonly Pbkdf2Digest[],
): Parsed {
  const problems: string[] = [];
  const digest = digests.find((known) => known === digestAlgorithm) ?? null;
  const hasKeySize = isWithin(keySize, KEY_SIZE_BYTES.least, KEY_SIZE_BYTES.most);
  const blocks = digest === null || !hasKeySize ? 1 : Math.ceil(keySize / PBKDF2_DIGEST_BYTES[digest]);
  const most = Math.floor(MAXIMUM_PBKDF2_ROUNDS[digest ?? 'SHA256_HMAC'] / blocks);
  const hasIterations = isWithin(iterationCount, MINIMUM_ITERATIONS, most);
  const hasSalt = isSalt(salt);
  const hasValue = typeof value === 'string' && base64Bytes(value) === keySize;
  if (digest === null) problems.push(`digestAlgorithm: must be ${digests.join(' or ')}`);
  if (!hasKeySize) {
    problems.push(`keySize: must be a whole number from ${KEY_SIZE_BYTES.least} to ${KEY_SIZE_BYTES.most}`);
  }
  if (!hasIterations) problems.push(`iterationCount: must be a whole number from ${MINIMUM_ITERATIONS} to ${most}`);
  if (!hasSalt) problems.push(SALT_PROBLEM);
  if (!hasValue) problems.push('value: must be base64 of keySize bytes');
  if (digest === null || !hasKeySize || !hasIterations || !hasSalt || !hasValue) return { problems };
  return { algorithm: 'PBKDF2', iterationCount, keySize, digestAlgorithm: digest, salt, value };
}

function parseDigest(algorithm: DigestName, { salt, saltOrder, value }: Input): Parsed {
  const problems: string[] = [];
  const isSalted = salt !== undefined && salt !== null && salt !== '';
  const hasSalt = !isSalted || isSalt(salt);
  const order = saltOrder === 'PREFIX' || saltOrder === 'POSTFIX' ? saltOrder : null;
  const hasValue = typeof value === 'string' && base64Bytes(value) === DIGEST_BYTES[algorithm];
  if (!hasSalt) problems.push(SALT_PROBLEM);
  if (isSalted && order === null) problems.push('saltOrder: must be PREFIX or POSTFIX');
  if (!hasValue) problems.push(`value: must be base64 of ${DIGEST_BYTES[algorithm]} bytes`);
  if (!hasSalt || !hasValue || problems.length > 0) return { problems };
  return { algorithm, salt: isSalted && isSalt(salt) ? salt : null, saltOrder: order ?? 'PREFIX', value };
}

/**
 * Reads the `hash` of a password credential (OpenAPI: PasswordCredentialHash). What is malformed, or would cost more
 * than one verification may, is refused here, so that no user is left with a password that can't be checked.
 */
export function parseImportedHash(input: unknown): ImportedHash | ImportProblems {
  if (typeof input !== 'object' || input === null) return { problems: ['hash: must be an object'] };
  const members = input as Input;
  const algorithm = members['algorithm'];
  switch (algorithm) {
    case 'BCRYPT':
      return parseBcrypt(members);
    case 'PBKDF2':
      return parsePbkdf2(members, API_DIGESTS);
    case 'SHA-512':
    case 'SHA-256':
    case 'SHA-1':
    case 'MD5':
      return parseDigest(algorithm, members);
    default:
      return { problems: ['algorithm: must be BCRYPT, SHA-512, SHA-256, SHA-1, MD5 or PBKDF2'] };
  }
}

function parseScrypt({ cost, blockSize, parallelization, keySize, salt, value }: Input): Parsed {
  const problems: string[] = [];
  const { memory, work } = MAXIMUM_SCRYPT;
  const hasBlockSize = isWithin(blockSize, 1, 64);
  const hasParallelization = isWithin(parallelization, 1, 64);
  const isPower = isWithin(cost, 2, memory) && Number.isInteger(Math.log2(cost));
  const blocks = isPower && hasBlockSize ? cost * blockSize : 0;
  const hasCost = isPower && blocks <= memory && blocks * (hasParallelization ? parallelization : 1) <= work;
  const hasKeySize = isWithin(keySize, KEY_SIZE_BYTES.least, KEY_SIZE_BYTES.most);
  const hasSalt = isSalt(salt);
  const hasValue = typeof value === 'string' && base64Bytes(value) === keySize;
  if (!hasBlockSize) problems.push('blockSize: must be a whole number from 1 to 64');
  if (!hasParallelization) problems.push('parallelization: must be a whole number from 1 to 64');
  if (!hasCost) problems.push('cost: must be a power of two, and affordable with blockSize and parallelization');
  if (!hasKeySize) {
    problems.push(`keySize: must be a whole number from ${KEY_SIZE_BYTES.least} to ${KEY_SIZE_BYTES.most}`);
  }
  if (!hasSalt) problems.push(SALT_PROBLEM);
  if (!hasValue) problems.push('value: must be base64 of keySize bytes');
  if (!hasBlockSize || !hasParallelization || !hasCost || !hasKeySize || !hasSalt || !hasValue) return { problems };
  return { algorithm: 'SCRYPT', cost, blockSize, parallelization, keySize, salt, value };
}

/**
 * Reads a hash out of a file of another system: what the API takes, argon2id (PHC string in `encoded`), scrypt, and
 * PBKDF2 with SHA-1. The same bounds hold: nothing is taken over that one verification could not afford.
 */
export function parseTransferredHash(input: unknown): TransferredHash {
  if (typeof input !== 'object' || input === null) return { problems: ['hash: must be an object'] };
  const members = input as Input;
  const { algorithm, encoded } = members;
  if (algorithm === 'SCRYPT') return parseScrypt(members);
  if (algorithm === 'PBKDF2') return parsePbkdf2(members, ALL_DIGESTS);
  if (algorithm !== 'ARGON2ID') return parseImportedHash(members);
  if (typeof encoded === 'string' && parametersOf(encoded) !== null) return { algorithm, encoded };
  return { problems: ['encoded: must be an argon2id string whose costs are affordable'] };
}
