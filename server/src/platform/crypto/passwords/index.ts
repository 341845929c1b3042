export type { FairnessKey } from './fair-queue.ts';
export { parseImportedHash } from './imported-hash.ts';
export {
  createPasswordHasher,
  type PasswordHasher,
} from './password-hasher.ts';
export {
  type Argon2Parameters,
  type ImportedHash,
  type StoredPassword,
} from './stored-password.ts';
