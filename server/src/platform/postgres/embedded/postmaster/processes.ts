import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from '../embedded-error.ts';

/** True while a process has this pid, whoever owns it. */
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
 * Distinguishes a process from a later one with the same pid: boot and start time. Null when the process has ended, or
 * when the system cannot tell (Windows).
 */
export function processIdentity(pid: number): string | null {
  if (process.platform === 'win32') return null;
  if (process.platform !== 'linux') return describeByPs(pid, 'lstart');
  const status = readOrNull(`/proc/${pid}/stat`);
  // The command's name may hold blanks and parentheses: fields are counted from the last one.
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

/** True when the pid is a live PostgreSQL process that runs on this cluster folder, and not a stranger with its pid. */
export function runsOnCluster(pid: number, clusterDirectory: string): boolean {
  if (!isAlive(pid)) return false;
  if (process.platform === 'linux') {
    const isPostgres = readOrNull(`/proc/${pid}/comm`)?.trim() === 'postgres';
    return isPostgres && currentFolderOf(pid) === clusterDirectory;
  }
  // If processes cannot be examined, a live pid in postmaster.pid counts as the postmaster, as it does for PostgreSQL.
  if (process.platform === 'win32') return true;
  const command = describeByPs(pid, 'command') ?? '';
  return command.includes('postgres') && command.includes(clusterDirectory);
}

/** Every process on this cluster folder; backends outlive a killed postmaster for a moment. Empty except on Linux. */
export function processesOnCluster(clusterDirectory: string): number[] {
  if (process.platform !== 'linux') return [];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => runsOnCluster(pid, clusterDirectory));
}

/** Sends a signal; a process that has already ended is fine. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

/** Waits until the condition holds; false when the time ran out first. */
export async function waitUntil(condition: () => boolean, timeoutMilliseconds: number): Promise<boolean> {
  const endsAt = performance.now() + timeoutMilliseconds;
  while (!condition()) {
    if (performance.now() > endsAt) return false;
    await delay(10);
  }
  return true;
}
