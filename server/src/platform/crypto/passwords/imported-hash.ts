import { mustBeOfType, mustBeWithin, type Sentence } from '../../../kernel/errors/problems.ts';
import { costOfArgon2, IMPORT_LIMITS, STORED_LIMITS } from './cost-model.ts';
import {
  type DigestName,
  type ImportedHash,
  PBKDF2_DIGEST_BYTES,
  type Pbkdf2Digest,
  parametersOf,
  type StoredPassword,
} from './stored-password.ts';

const DIGEST_BYTES: Readonly<Record<DigestName, number>> = { 'SHA-512': 64, 'SHA-256': 32, 'SHA-1': 20, MD5: 16 };
/** The digests that the API accepts for PBKDF2 (OpenAPI: PasswordCredentialHash). */
const API_DIGESTS: readonly Pbkdf2Digest[] = ['SHA256_HMAC', 'SHA512_HMAC'];
const ALL_DIGESTS: readonly Pbkdf2Digest[] = ['SHA1_HMAC', ...API_DIGESTS];

/** bcrypt has no work factor below 4. */
const MINIMUM_WORK_FACTOR = 4;
const MINIMUM_ITERATIONS = 4096;
/** The maximum of N times r in scrypt. Each unit takes 128 bytes, so the maximum is 128 MiB. */
const MAXIMUM_SCRYPT_MEMORY = 2 ** 20;
/** With a key shorter than `least`, other passwords could match by chance. */
const KEY_SIZE_BYTES = { least: 16, most: 128 } as const;
const MAXIMUM_SALT_CHARACTERS = 1024;
/** The last character carries only two bits of the salt. Verifiers reject a salt in which other bits are set. */
const BCRYPT_SALT = /^[./A-Za-z0-9]{21}[.Oeu]$/;
/** The last character carries only four bits of the value. */
const BCRYPT_VALUE = /^[./A-Za-z0-9]{30}[.CGKOSWaeimquy26]$/;

export interface ImportProblems {
  /** One sentence per wrong member. Each sentence starts with the member's name. */
  readonly problems: readonly Sentence[];
}
type Limits = typeof IMPORT_LIMITS;
type Input = Readonly<Record<string, unknown>>;
type Parsed = ImportedHash | ImportProblems;
export type TransferredHash = StoredPassword | ImportProblems;

/** Returns the number of bytes that a strict base64 text encodes, or null for any other value. Padding is optional. */
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

const TOO_DEAR = '(otherwise a check takes more than about 250 ms)';

const SALT_PROBLEM: Sentence = `salt: must be base64 of at most ${MAXIMUM_SALT_CHARACTERS} characters.`;

function parseBcrypt({ workFactor, salt, value }: Input, limits: Limits): Parsed {
  const problems: Sentence[] = [];
  const most = Math.log2(limits.BCRYPT);
  const hasFactor = isWithin(workFactor, MINIMUM_WORK_FACTOR, most);
  const hasSalt = typeof salt === 'string' && BCRYPT_SALT.test(salt);
  const hasValue = typeof value === 'string' && BCRYPT_VALUE.test(value);
  if (!hasFactor) {
    problems.push(`workFactor: must be a whole number from ${MINIMUM_WORK_FACTOR} to ${most} ${TOO_DEAR}.`);
  }
  if (!hasSalt) problems.push('salt: must be the 22 radix-64 characters of a bcrypt salt.');
  if (!hasValue) problems.push('value: must be the 31 radix-64 characters of a bcrypt hash.');
  return hasFactor && hasSalt && hasValue ? { algorithm: 'BCRYPT', workFactor, salt, value } : { problems };
}

function parsePbkdf2(
  { iterationCount, keySize, digestAlgorithm, salt, value }: Input,
  digests: readonly Pbkdf2Digest[],
  limits: Limits,
): Parsed {
  const problems: Sentence[] = [];
  const digest = digests.find((known) => known === digestAlgorithm) ?? null;
  const hasKeySize = isWithin(keySize, KEY_SIZE_BYTES.least, KEY_SIZE_BYTES.most);
  const blocks = digest === null || !hasKeySize ? 1 : Math.ceil(keySize / PBKDF2_DIGEST_BYTES[digest]);
  const most = Math.floor(limits[digest ?? 'SHA256_HMAC'] / blocks);
  const hasIterations = isWithin(iterationCount, MINIMUM_ITERATIONS, most);
  const hasSalt = isSalt(salt);
  const hasValue = typeof value === 'string' && base64Bytes(value) === keySize;
  if (digest === null) problems.push(`digestAlgorithm: must be ${digests.join(' or ')}.`);
  if (!hasKeySize) {
    problems.push(`keySize: ${mustBeWithin(KEY_SIZE_BYTES.least, KEY_SIZE_BYTES.most)}`);
  }
  if (!hasIterations) {
    problems.push(`iterationCount: must be a whole number from ${MINIMUM_ITERATIONS} to ${most} ${TOO_DEAR}.`);
  }
  if (!hasSalt) problems.push(SALT_PROBLEM);
  if (!hasValue) problems.push('value: must be base64 of keySize bytes.');
  if (digest === null || !hasKeySize || !hasIterations || !hasSalt || !hasValue) return { problems };
  return { algorithm: 'PBKDF2', iterationCount, keySize, digestAlgorithm: digest, salt, value };
}

function parseDigest(algorithm: DigestName, { salt, saltOrder, value }: Input): Parsed {
  const problems: Sentence[] = [];
  const isSalted = salt !== undefined && salt !== null && salt !== '';
  const hasSalt = !isSalted || isSalt(salt);
  const order = saltOrder === 'PREFIX' || saltOrder === 'POSTFIX' ? saltOrder : null;
  const hasValue = typeof value === 'string' && base64Bytes(value) === DIGEST_BYTES[algorithm];
  if (!hasSalt) problems.push(SALT_PROBLEM);
  if (isSalted && order === null) problems.push('saltOrder: must be PREFIX or POSTFIX.');
  if (!hasValue) problems.push(`value: must be base64 of ${DIGEST_BYTES[algorithm]} bytes.`);
  if (!hasSalt || !hasValue || problems.length > 0) return { problems };
  return { algorithm, salt: isSalted && isSalt(salt) ? salt : null, saltOrder: order ?? 'PREFIX', value };
}

function parseScrypt({ cost, blockSize, parallelization, keySize, salt, value }: Input, limits: Limits): Parsed {
  const problems: Sentence[] = [];
  const hasBlockSize = isWithin(blockSize, 1, 64);
  const hasParallelization = isWithin(parallelization, 1, 64);
  const isPower = isWithin(cost, 2, MAXIMUM_SCRYPT_MEMORY) && Number.isInteger(Math.log2(cost));
  const blocks = isPower && hasBlockSize ? cost * blockSize : 0;
  const work = blocks * (hasParallelization ? parallelization : 1);
  const hasCost = isPower && blocks <= MAXIMUM_SCRYPT_MEMORY && work <= limits.SCRYPT;
  const hasKeySize = isWithin(keySize, KEY_SIZE_BYTES.least, KEY_SIZE_BYTES.most);
  const hasSalt = isSalt(salt);
  const hasValue = typeof value === 'string' && base64Bytes(value) === keySize;
  if (!hasBlockSize) problems.push('blockSize: must be a whole number from 1 to 64.');
  if (!hasParallelization) problems.push('parallelization: must be a whole number from 1 to 64.');
  if (!hasCost) {
    const most = `at most ${limits.SCRYPT} with blockSize and parallelization multiplied`;
    problems.push(`cost: must be a power of two, and ${most} ${TOO_DEAR}.`);
  }
  if (!hasKeySize) {
    problems.push(`keySize: ${mustBeWithin(KEY_SIZE_BYTES.least, KEY_SIZE_BYTES.most)}`);
  }
  if (!hasSalt) problems.push(SALT_PROBLEM);
  if (!hasValue) problems.push('value: must be base64 of keySize bytes.');
  if (!hasBlockSize || !hasParallelization || !hasCost || !hasKeySize || !hasSalt || !hasValue) return { problems };
  return { algorithm: 'SCRYPT', cost, blockSize, parallelization, keySize, salt, value };
}

function parseArgon2id({ encoded }: Input, limits: Limits): TransferredHash {
  const parameters = typeof encoded === 'string' ? parametersOf(encoded) : null;
  if (typeof encoded !== 'string' || parameters === null) {
    return { problems: ['encoded: must be an argon2id string with costs within the limits.'] };
  }
  if (costOfArgon2(parameters).units <= limits.ARGON2ID) return { algorithm: 'ARGON2ID', encoded };
  return { problems: [`encoded: m times t must be at most ${limits.ARGON2ID} ${TOO_DEAR}.`] };
}

function parseShared(members: Input, digests: readonly Pbkdf2Digest[], limits: Limits): Parsed {
  const algorithm = members['algorithm'];
  switch (algorithm) {
    case 'BCRYPT':
      return parseBcrypt(members, limits);
    case 'PBKDF2':
      return parsePbkdf2(members, digests, limits);
    case 'SHA-512':
    case 'SHA-256':
    case 'SHA-1':
    case 'MD5':
      return parseDigest(algorithm, members);
    default:
      return { problems: ['algorithm: must be BCRYPT, SHA-512, SHA-256, SHA-1, MD5 or PBKDF2.'] };
  }
}

const NO_OBJECT: ImportProblems = { problems: [`hash: ${mustBeOfType('an object')}`] };

const isObject = (input: unknown): input is Input => typeof input === 'object' && input !== null;

function parseAny(input: unknown, limits: Limits): TransferredHash {
  if (!isObject(input)) return NO_OBJECT;
  if (input['algorithm'] === 'SCRYPT') return parseScrypt(input, limits);
  if (input['algorithm'] === 'ARGON2ID') return parseArgon2id(input, limits);
  return parseShared(input, ALL_DIGESTS, limits);
}

/** Reads the `hash` of a password credential. */
export const parseImportedHash = (input: unknown): ImportedHash | ImportProblems =>
  isObject(input) ? parseShared(input, API_DIGESTS, IMPORT_LIMITS) : NO_OBJECT;

/** Reads a hash from a file of users or orgs. Unlike in the API, it may be argon2id, scrypt, or PBKDF2 with SHA-1. */
export const parseTransferredHash = (input: unknown): TransferredHash => parseAny(input, IMPORT_LIMITS);

/** Tells whether a stored hash is well-formed and its cost is within `STORED_LIMITS`. */
export const isCheckable = (stored: StoredPassword): boolean => !('problems' in parseAny(stored, STORED_LIMITS));
