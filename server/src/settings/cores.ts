import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { posix } from 'node:path';

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

/** Returns a quota in cores, or Infinity if there is none. Texts such as `max` and -1 stand for none. */
function coresOf(quota: string | undefined, period: string | undefined): number {
  const cores = Number(quota) / Number(period);
  return cores > 0 ? cores : Number.POSITIVE_INFINITY;
}

/** A limit, with functions that read it from a folder of cgroup v2, or from a folder of the controller in v1. */
interface Limit {
  readonly controller: string;
  readonly v2: (read: ReadText, folder: string) => number;
  readonly v1: (read: ReadText, controllers: string, folder: string) => number;
}

const joinPath = (...parts: readonly string[]): string => posix.join(ROOT, ...parts);

/** Returns a limit in bytes, or Infinity if the text states none, such as `max` in v2. */
function bytesOf(text: string | undefined): number {
  const bytes = Number(text?.trim());
  return bytes > 0 ? bytes : Number.POSITIVE_INFINITY;
}

function quotaV2(read: ReadText, folder: string): number {
  const [quota, period] = read(joinPath(folder, 'cpu.max'))?.trim().split(/\s+/) ?? [];
  return coresOf(quota, period);
}

function quotaV1(read: ReadText, controllers: string, folder: string): number {
  const numberIn = (name: string) => read(joinPath(controllers, folder, name))?.trim();
  return coresOf(numberIn('cpu.cfs_quota_us'), numberIn('cpu.cfs_period_us'));
}

const CPU: Limit = { controller: 'cpu', v2: quotaV2, v1: quotaV1 };
const MEMORY: Limit = {
  controller: 'memory',
  v2: (read, folder) => bytesOf(read(joinPath(folder, 'memory.max')) ?? undefined),
  v1: (read, controllers, folder) => bytesOf(read(joinPath(controllers, folder, 'memory.limit_in_bytes')) ?? undefined),
};

/**
 * Returns the smallest limit of this process's cgroup and those above it. In a container, the path may be the one on
 * the host, which need not exist in the container.
 */
function smallest({ controller, v1, v2 }: Limit, read: ReadText): number {
  const lines = read('/proc/self/cgroup')?.split('\n') ?? [];
  const limits = lines.flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers === undefined || path === undefined) return [];
    if (controllers === '') return foldersUpwards(path).map((folder) => v2(read, folder));
    if (!controllers.split(',').includes(controller)) return [];
    return foldersUpwards(path).map((folder) => v1(read, controllers, folder));
  });
  return Math.min(Number.POSITIVE_INFINITY, ...limits);
}

export const cpuQuota = (read: ReadText = readText): number => smallest(CPU, read);

/** Returns the memory limit in bytes. If there is none, returns Infinity or, for cgroup v1, a huge number. */
export const memoryLimit = (read: ReadText = readText): number => smallest(MEMORY, read);

/**
 * Returns the number of cores that this process may use. A cgroup quota, which Node 20 ignores, may be smaller than the
 * number of cores that the scheduler offers.
 */
export const usableCores = (offered: number = availableParallelism(), read: ReadText = readText): number =>
  Math.max(1, Math.floor(Math.min(offered, cpuQuota(read))));

export interface Machine {
  readonly cores: number;
  /** The memory limit. It is Infinity or a huge number if there is no limit. */
  readonly memoryBytes: number;
}

export const thisMachine = (): Machine => ({ cores: usableCores(), memoryBytes: memoryLimit() });
