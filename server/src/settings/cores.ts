import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { posix } from 'node:path';

/** Returns the text of a file, or null if it can't be read. */
export type ReadText = (path: string) => string | null;

const ROOT = '/sys/fs/cgroup';

const readText: ReadText = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
};

/** Returns a folder and those above it, up to the root. Ignores steps that lead above the root. */
function foldersUpwards(path: string): string[] {
  const folder = posix.resolve('/', path);
  return folder === '/' ? ['/'] : [folder, ...foldersUpwards(posix.dirname(folder))];
}

/** Returns a quota in cores, or Infinity if there is none: the file is absent, or contains `max` or -1. */
function coresOf(quota: string | undefined, period: string | undefined): number {
  const cores = Number(quota) / Number(period);
  return cores > 0 ? cores : Number.POSITIVE_INFINITY;
}

const joinPath = (...parts: readonly string[]): string => posix.join(ROOT, ...parts);

function quotaV2(read: ReadText, folder: string): number {
  const [quota, period] = read(joinPath(folder, 'cpu.max'))?.trim().split(/\s+/) ?? [];
  return coresOf(quota, period);
}

function quotaV1(read: ReadText, controllers: string, folder: string): number {
  const numberIn = (name: string) => read(joinPath(controllers, folder, name))?.trim();
  return coresOf(numberIn('cpu.cfs_quota_us'), numberIn('cpu.cfs_period_us'));
}

/**
 * Returns the smallest CPU quota of this process's cgroup and those above it, in cores, or Infinity if there is none.
 * In a container, the path may be the one on the host, and only its root exists in the container.
 */
export function cpuQuota(read: ReadText = readText): number {
  const lines = read('/proc/self/cgroup')?.split('\n') ?? [];
  const quotas = lines.flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers === undefined || path === undefined) return [];
    if (controllers === '') return foldersUpwards(path).map((folder) => quotaV2(read, folder));
    if (!controllers.split(',').includes('cpu')) return [];
    return foldersUpwards(path).map((folder) => quotaV1(read, controllers, folder));
  });
  return Math.min(Number.POSITIVE_INFINITY, ...quotas);
}

/**
 * Returns the number of cores that this process may use: those that the scheduler offers, or fewer if a cgroup quota,
 * which Node 20 ignores, is smaller. Rounds fractions down, but returns at least 1.
 */
export const usableCores = (offered: number = availableParallelism(), read: ReadText = readText): number =>
  Math.max(1, Math.floor(Math.min(offered, cpuQuota(read))));
