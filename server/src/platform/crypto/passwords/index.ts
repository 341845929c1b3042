export type { FairnessKey } from './fair-queue.ts';
export { type ImportProblems, parseImportedHash } from './imported-hash.ts';
export {
  createPasswordHasher,
  type PasswordHasher,
  type PasswordHasherOptions,
  type Verification,
} from './password-hasher.ts';
export {
  type Argon2idHash,
  type Argon2Parameters,
  DEFAULT_ARGON2_PARAMETERS,
  type ImportedHash,
  type StoredPassword,
} from './stored-password.ts';
