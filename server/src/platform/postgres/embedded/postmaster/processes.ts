import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from '../embedded-error.ts';

/** Tells whether any process has this pid, whoever owns that process. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

const readOrNull = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
};

const describeByPs = (pid: number, column: 'lstart' | 'command'): string | null => {
  const { status, stdout } = spawnSync('ps', ['-ww', '-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
};

/**
 * Returns a string that distinguishes a process from a later one with the same pid. Returns null on Windows, or if the
 * process has ended.
 */
export function processIdentity(pid: number): string | null {
  if (process.platform === 'win32') return null;
  if (process.platform !== 'linux') return describeByPs(pid, 'lstart');
  const status = readOrNull(`/proc/${pid}/stat`);
  // The name of the command may contain blanks and parentheses, so fields are counted from the last parenthesis.
  const fields = status?.slice(status.lastIndexOf(')') + 2).split(' ');
  if (fields === undefined || fields[0] === 'Z') return null;
  return `${readOrNull('/proc/sys/kernel/random/boot_id')?.trim() ?? ''}:${fields[19] ?? ''}`;
}

const currentFolderOf = (pid: number): string | null => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
};

export function runsOnCluster(pid: number, clusterDirectory: string): boolean {
  if (!isAlive(pid)) return false;
  if (process.platform === 'linux') {
    const isPostgres = readOrNull(`/proc/${pid}/comm`)?.trim() === 'postgres';
    return isPostgres && currentFolderOf(pid) === clusterDirectory;
  }
  // Processes are not examined on Windows: a live pid in postmaster.pid counts as the postmaster, as it does for
  // PostgreSQL.
  if (process.platform === 'win32') return true;
  const command = describeByPs(pid, 'command') ?? '';
  return command.includes('postgres') && command.includes(clusterDirectory);
}

export function processesOnCluster(clusterDirectory: string): number[] {
  if (process.platform !== 'linux') return [];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => runsOnCluster(pid, clusterDirectory));
}

/** It is not an error if the process has already ended. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

export async function waitUntil(condition: () => boolean, timeoutMilliseconds: number): Promise<boolean> {
  const endsAt = performance.now() + timeoutMilliseconds;
  while (!condition()) {
    if (performance.now() > endsAt) return false;
    await delay(10);
  }
  return true;
}
