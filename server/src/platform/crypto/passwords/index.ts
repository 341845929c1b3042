export { isCommonPassword } from './common-passwords.ts';
export { COST_KINDS, type Cost, costOf } from './cost-model.ts';
export type { FairnessKey } from './fair-queue.ts';
export { parseImportedHash, parseTransferredHash, type TransferredHash } from './imported-hash.ts';
export {
  canBePassword,
  createPasswordHasher,
  type PasswordHasher,
} from './password-hasher.ts';
export { pbkdf2Hash, readPasswordText } from './password-text.ts';
export {
  type Argon2Parameters,
  type ImportedHash,
  type StoredPassword,
} from './stored-password.ts';
