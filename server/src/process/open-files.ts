import { readFileSync } from 'node:fs';

/**
 * Descriptors needed in addition to those of clients and the pool: for files, threads, the log's pool, health and mail.
 */
const RESERVED = 64;
const FEWEST_CLIENTS = 16;

/** Reads the limit of open files and sockets of this process (`ulimit -n`); null if it is unknown or unlimited. */
export function openFilesLimit(limits = '/proc/self/limits'): number | null {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync(limits, 'utf8'));
    return found === null ? null : Number(found[1]);
  } catch {
    return null;
  }
}

/**
 * Returns the limit of concurrent clients, which reserves descriptors for the database, the log and health; without
 * them these would fail with 500. Undefined means no limit.
 */
export function mostClients(openFiles: number | null, databasePoolSize: number): number | undefined {
  return openFiles === null ? undefined : Math.max(FEWEST_CLIENTS, openFiles - databasePoolSize - RESERVED);
}
