export { waitForOthers } from './advisory-lock-store.ts';
export { type AuthorisationCache, type CacheKey, createAuthorisationCache } from './authorisation-cache.ts';
export { textArray } from './binary-text-array.ts';
export type { ConnectionSettings } from './connection-settings.ts';
export { dropOldIdempotencyKeys, dropOldWindows } from './cross-org-store.ts';
export type { Database, Db, Tx } from './database.ts';
export { asApiError, type ConstraintErrors, failureCode, isUnavailable, outageOf, unavailable } from './failures.ts';
export { FOREIGN_KEYS, type ParentTable } from './foreign-keys.generated.ts';
export { claimIdempotency } from './idempotency-store.ts';
export { findInstallationFact, noteInstallationFact } from './installation-store.ts';
export { createKeptCopies } from './kept-copies.ts';
export { MigrationError, migrate } from './migrate.ts';
export { createPool, type Pool, readerOver, requestReaderOver } from './pool.ts';
export { mergeWindowCounts } from './rate-limit-store.ts';
export { createStallWatch, type DatabaseChange, type StallWatch } from './stall-watch.ts';
export { prepared, run, type Statement } from './statements.ts';
export {
  createUnitOfWork,
  type Reactions,
  type RecordEvent,
  type SetReactions,
  sendWithCommit,
  type UnitOfWork,
} from './unit-of-work.ts';
