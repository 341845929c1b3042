export { EmbeddedPostgresError, type Log, type LogLevel } from './embedded-error.ts';
export type { EmbeddedConnection } from './endpoint.ts';
export { ownerOf } from './owner-lock.ts';
export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from './start-embedded-postgres.ts';
