import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedPostgresError, hasCode, type Log } from '../embedded-error.ts';
import { isAlive, processesOnCluster, runsOnCluster, signal, waitUntil } from './processes.ts';

const FAST_SHUTDOWN_MILLISECONDS = 30_000;
const IMMEDIATE_SHUTDOWN_MILLISECONDS = 5000;

/** A number that is greater than any pid, so that PostgreSQL takes it for the pid of a dead process. */
const NO_PID = '2147483647';

async function readPidFile(clusterDirectory: string): Promise<{ pid: number; lines: string[]; path: string } | null> {
  const path = join(clusterDirectory, 'postmaster.pid');
  try {
    const lines = (await readFile(path, 'utf8')).split('\n');
    // Single-user mode writes its pid with a minus sign.
    const pid = Math.abs(Number.parseInt(lines[0] ?? '', 10));
    return { pid: Number.isNaN(pid) ? 0 : pid, lines, path };
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Returns the pid in postmaster.pid, or 0 if the file contains none. Returns null if there is no file. */
export const postmasterPid = async (clusterDirectory: string): Promise<number | null> =>
  (await readPidFile(clusterDirectory))?.pid ?? null;

/** Stops the server in steps: a fast shutdown, an immediate one, and finally a kill. */
export async function stopPostmaster(pid: number, clusterDirectory: string, fastMilliseconds: number): Promise<void> {
  const isGone = (): boolean => !runsOnCluster(pid, clusterDirectory);
  const steps = [
    ['SIGINT', fastMilliseconds],
    ['SIGQUIT', IMMEDIATE_SHUTDOWN_MILLISECONDS],
    ['SIGKILL', IMMEDIATE_SHUTDOWN_MILLISECONDS],
  ] as const;
  for (const [name, milliseconds] of steps) {
    if (isGone()) return;
    signal(pid, name);
    if (await waitUntil(isGone, milliseconds)) return;
  }
  throw new EmbeddedPostgresError(`PostgreSQL (pid ${pid}) on ${clusterDirectory} does not end. Stop it by hand.`);
}

/**
 * Prepares a start after kill -9. Ends a server of this cluster that outlived its owner. Replaces the pid in
 * postmaster.pid if it now belongs to another process. The rest of that file stays, because it leads PostgreSQL to
 * remaining backends.
 */
export async function clearLeftoverPostmaster(clusterDirectory: string, log: Log): Promise<void> {
  const found = await readPidFile(clusterDirectory);
  if (found === null) return;
  if (runsOnCluster(found.pid, clusterDirectory)) {
    log('warn', `Stopping the PostgreSQL (pid ${found.pid}) that an earlier process left behind.`);
    await stopPostmaster(found.pid, clusterDirectory, FAST_SHUTDOWN_MILLISECONDS);
    return;
  }
  if (found.pid !== 0 && isAlive(found.pid)) {
    log('warn', `postmaster.pid names pid ${found.pid}, which is another program by now: taken as stale.`);
    await writeFile(found.path, [NO_PID, ...found.lines.slice(1)].join('\n'));
  }
}

/** Kills backends that still hold the shared memory of a dead postmaster. They are found only on Linux. */
export function killOrphanedBackends(clusterDirectory: string): void {
  for (const pid of processesOnCluster(clusterDirectory)) signal(pid, 'SIGKILL');
}
