export { replaceFile } from './cluster/durable-files.ts';
export type { Log } from './embedded-error.ts';
export type { EmbeddedConnection } from './endpoint.ts';
export { ownerOf } from './postmaster/owner-lock.ts';
export {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from './start-embedded-postgres.ts';
