import { readFileSync } from 'node:fs';

/** The number of file descriptors that are reserved for uses other than client and database connections. */
const RESERVED = 64;
const FEWEST_CLIENTS = 16;

/** Reads this process's limit on open files and sockets (`ulimit -n`). Returns null if it is unknown or unlimited. */
export function openFilesLimit(limits = '/proc/self/limits'): number | null {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync(limits, 'utf8'));
    return found === null ? null : Number(found[1]);
  } catch {
    return null;
  }
}

export function mostClients(openFiles: number | null, databasePoolSize: number): number | undefined {
  return openFiles === null ? undefined : Math.max(FEWEST_CLIENTS, openFiles - databasePoolSize - RESERVED);
}
