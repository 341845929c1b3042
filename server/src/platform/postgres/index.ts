export { assumed, assuming, digestOf } from './assuming.ts';
export { integerArray, textArray, timestampArray, uuidArray } from './binary-arrays.ts';
export { isCitus } from './citus/distribute.ts';
export { type Columns, columns, type RowStatement, rowsFrom } from './columns.ts';
export { waitForOthers } from './connections/advisory-lock-store.ts';
export type { Database, Db, Tx } from './connections/database.ts';
export {
  asApiError,
  type ConstraintErrors,
  constraintOf,
  failureCode,
  isUnavailable,
  outageOf,
  unavailable,
} from './connections/failures.ts';
export { sendQuery } from './connections/packet.ts';
export { createPool, type Pool, readerOver, readTogether, requestReaderOver } from './connections/pool.ts';
export { CLOCK, prepared, run, type Statement } from './connections/statements.ts';
export { FOREIGN_KEYS, type ParentTable } from './foreign-keys.generated.ts';
export { type FindById, gatherReads } from './gathered-reads.ts';
export { keysetRows } from './keyset-rows.ts';
export { applyDeferred, type KnownMigrations, knownMigrations, MigrationError, migrate } from './migrate.ts';
export type { ConnectionSettings, ServerIdentity } from './servers/connection-settings.ts';
export { FormerPrimaryError, serversOf } from './servers/known-servers.ts';
export { openClient } from './servers/primary-client.ts';
export { areSessionsShared } from './servers/shared-sessions.ts';
export { isAloneInShared, isShared, needOwnTransaction, together } from './shared-transaction.ts';
export { createSharedWork, type SharedWork } from './shared-work.ts';
export { type AuthorisationCache, type CacheKey, createAuthorisationCache } from './stores/authorisation-cache.ts';
export { dropOldIdempotencyKeys, dropOldWindows } from './stores/cross-org-store.ts';
export { claimIdempotency } from './stores/idempotency-store.ts';
export { findInstallationFact, noteInstallationFact } from './stores/installation-store.ts';
export { createKeptCopies } from './stores/kept-copies.ts';
export { appliedAmong, beat, dropOldNodes, forgetNode } from './stores/nodes-store.ts';
export { mergeWindowCounts } from './stores/rate-limit-store.ts';
export { byOrg, type Outdated, sweep } from './stores/sweep-store.ts';
export {
  allForeseen,
  foresee,
  foreseen,
  noteChange,
  sendAhead,
  sendChange,
  startAhead,
} from './transaction-session.ts';
export {
  createUnitOfWork,
  type Reactions,
  type RecordEvent,
  type Recorded,
  type SetReactions,
  type UnitOfWork,
  type UnitOfWorkOptions,
} from './unit-of-work.ts';
export { AnswerLateError } from './watch/answer-watch.ts';
export { createStallWatch, type DatabaseChange, type StallWatch } from './watch/stall-watch.ts';
