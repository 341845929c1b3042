import { nameKey } from '../../../kernel/texts/text.ts';
import { type Cost, costOfArgon2 } from './cost-model.ts';
import type { FairnessKey } from './fair-queue.ts';
import { isCheckable } from './imported-hash.ts';
import {
  type Argon2idHash,
  type Argon2Parameters,
  areBounded,
  DEFAULT_ARGON2_PARAMETERS,
  parametersOf,
  type StoredPassword,
} from './stored-password.ts';
import { WorkerPool } from './worker-pool.ts';

export interface PasswordHasherOptions {
  /** The number of threads, at least 1. If it is 1, a second thread is added for imported hashes. */
  workers: number;
  argon2?: Argon2Parameters;
  /** The maximum expected time until all tasks are finished. Waiting tasks beyond it are rejected. */
  maximumWaitMilliseconds?: number;
}

export interface Verification {
  readonly ok: boolean;
  /**
   * Whether the password is right but its hash is imported, weaker than ours or of another parallelism. If so, store
   * `hash(password)`.
   */
  readonly needsRehash: boolean;
}

export interface PasswordHasher {
  /**
   * Returns the hash to store. Rejects with 503 E0000181 when overloaded or closed, and with RangeError if
   * `canBePassword` is false.
   */
  hash(password: string, key: FairnessKey): Promise<Argon2idHash>;
  /** Rejects with 503 E0000181 when overloaded or closed. A malformed stored value counts as a wrong password. */
  verify(stored: StoredPassword, password: string, key: FairnessKey): Promise<Verification>;
  /** Returns a generous estimate of the time that a check takes at the highest of these costs and our own. */
  ampleMilliseconds(costs: readonly Cost[], password: string): number;
  queueDepth(): number;
  close(): Promise<void>;
}

/** The maximum length of a password in UTF-16 code units. It bounds memory use. */
const MAXIMUM_CHARACTERS = 1000;
/** bcrypt ignores everything after this length, so longer passwords with the same beginning would be equal. */
const BCRYPT_MAXIMUM_BYTES = 72;
/** The factor by which expected times are multiplied, because actual times vary. */
const AMPLE = 1.5;
const WRONG: Verification = { ok: false, needsRehash: false };

export const canBePassword = (password: string): boolean =>
  password !== '' && password.length <= MAXIMUM_CHARACTERS && !password.includes('\0');

/** Returns the spellings to try. Argon2id is our format and uses NFC, but other systems hashed the received bytes. */
function candidatesFor(stored: StoredPassword, password: string): string[] {
  const normal = nameKey(password);
  if (stored.algorithm === 'ARGON2ID') return parametersOf(stored.encoded) === null ? [] : [normal];
  // The cost is checked again, because a verification must stay affordable whatever a row contains.
  if (!isCheckable(stored)) return [];
  const candidates = normal === password ? [password] : [password, normal];
  if (stored.algorithm !== 'BCRYPT') return candidates;
  return candidates.filter((candidate) => Buffer.byteLength(candidate) <= BCRYPT_MAXIMUM_BYTES);
}

function isOutdated(stored: StoredPassword, argon2: Argon2Parameters): boolean {
  if (stored.algorithm !== 'ARGON2ID') return true;
  const used = parametersOf(stored.encoded);
  return (
    used === null ||
    used.memoryCost < argon2.memoryCost ||
    used.timeCost < argon2.timeCost ||
    used.parallelism !== argon2.parallelism
  );
}

/** Creates a hasher that works in its own threads (NIST SP 800-63B-4; argon2id as in RFC 9106). */
export function createPasswordHasher(options: PasswordHasherOptions): PasswordHasher {
  const argon2 = options.argon2 ?? DEFAULT_ARGON2_PARAMETERS;
  if (!areBounded(argon2)) throw new RangeError('argon2 parameters are out of bounds');
  if (!Number.isInteger(options.workers) || options.workers < 1) throw new RangeError('workers must be at least 1');
  const pool = new WorkerPool(options.workers, options.maximumWaitMilliseconds ?? 2000, argon2);
  return {
    async hash(password, key) {
      if (!canBePassword(password)) throw new RangeError('an empty, overlong or NUL-bearing text is no password');
      const encoded = await pool.run({ kind: 'hash', password: nameKey(password), argon2 }, key);
      return { algorithm: 'ARGON2ID', encoded: String(encoded) };
    },
    async verify(stored, password, key) {
      const candidates = canBePassword(password) ? candidatesFor(stored, password) : [];
      if (candidates.length === 0) return WRONG;
      const ok = (await pool.run({ kind: 'verify', stored, candidates }, key)) === true;
      return { ok, needsRehash: ok && isOutdated(stored, argon2) };
    },
    ampleMilliseconds(costs, password) {
      // Imported hashes are checked against each spelling of the password.
      const spellings = canBePassword(password) && nameKey(password) !== password ? 2 : 1;
      const times = [costOfArgon2(argon2), ...costs].map((cost) => pool.expectedMilliseconds(cost) * spellings);
      return Math.max(...times) * AMPLE;
    },
    queueDepth: () => pool.queueLength,
    close: () => pool.close(),
  };
}
