import { readFileSync } from 'node:fs';

/** Files that a process needs besides its clients and its pool: files, threads, the log's pool, health, mail. */
const RESERVED = 64;
const FEWEST_CLIENTS = 16;

/** How many files and sockets this process may have open (`ulimit -n`); null: not known here, or no limit. */
export function openFilesLimit(limits = '/proc/self/limits'): number | null {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync(limits, 'utf8'));
    return found === null ? null : Number(found[1]);
  } catch {
    return null;
  }
}

/**
 * How many clients may be connected at one time, so that whoever opens connections without end takes none from the
 * database, the log and health: those would answer 500 otherwise. Undefined: as many as come.
 */
export function mostClients(openFiles: number | null, databasePoolSize: number): number | undefined {
  return openFiles === null ? undefined : Math.max(FEWEST_CLIENTS, openFiles - databasePoolSize - RESERVED);
}
