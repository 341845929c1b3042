import { assert, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuQuota, memoryLimit, usableCores } from './cores.ts';

type Files = Readonly<Record<string, string>>;

/** Returns a reader of a made-up machine's files, whose names are relative to `/sys/fs/cgroup`. */
const machine = (cgroup: string, files: Files) => (path: string) =>
  path === '/proc/self/cgroup' ? cgroup : (files[path.replace('/sys/fs/cgroup/', '')] ?? null);

describe('the quota of cgroup v2', () => {
  const quotaOf = (path: string, files: Files): number => cpuQuota(machine(`0::${path}\n`, files));

  test.each<[string, string, Files, number]>([
    ['of a container', '/', { 'cpu.max': '150000 100000\n' }, 1.5],
    ['with another period', '/', { 'cpu.max': '25000 50000\n' }, 0.5],
    ['that is none', '/', { 'cpu.max': 'max 100000\n' }, Number.POSITIVE_INFINITY],
    ['of a service', '/system.slice/gatehouse.service', { 'system.slice/gatehouse.service/cpu.max': '2000 1000' }, 2],
    ['of the slice above', '/a.slice/b.service', { 'a.slice/b.service/cpu.max': 'max 1', 'a.slice/cpu.max': '3 1' }, 3],
    ['that is smaller above', '/a/b', { 'a/b/cpu.max': '4 1', 'a/cpu.max': '2 1', 'cpu.max': '8 1' }, 2],
    ['whose path is that of the host', '/docker/0123', { 'cpu.max': '100000 100000' }, 1],
    ['whose path leads above the root', '/../../a', { 'a/cpu.max': '1 1' }, 1],
    ['in a file with nonsense', '/', { 'cpu.max': 'much of it' }, Number.POSITIVE_INFINITY],
    ['in an empty file', '/', { 'cpu.max': '' }, Number.POSITIVE_INFINITY],
    ['of zero', '/', { 'cpu.max': '0 100000' }, Number.POSITIVE_INFINITY],
    ['without a file', '/a', {}, Number.POSITIVE_INFINITY],
  ])('%s', (_, path, files, cores) => expect(quotaOf(path, files)).toBe(cores));
});

describe('the quota of cgroup v1', () => {
  const LINES = '5:memory:/docker/1\n4:cpu,cpuacct:/docker/1\n1:name=systemd:/docker/1\n';
  const quotaOf = (files: Files): number => cpuQuota(machine(LINES, files));
  const quota = (folder: string, microseconds: string): Files => ({
    [`cpu,cpuacct/${folder}cpu.cfs_quota_us`]: microseconds,
    [`cpu,cpuacct/${folder}cpu.cfs_period_us`]: '100000\n',
  });

  test.each<[string, Files, number]>([
    ['of the process', quota('docker/1/', '250000\n'), 2.5],
    ['of a container, which sees only the root', quota('', '50000\n'), 0.5],
    ['that is smaller above', { ...quota('docker/1/', '400000'), ...quota('docker/', '300000') }, 3],
    ['that is none', quota('docker/1/', '-1\n'), Number.POSITIVE_INFINITY],
    ['of a controller other than cpu', { 'memory/docker/1/cpu.cfs_quota_us': '1' }, Number.POSITIVE_INFINITY],
    ['without a period', { 'cpu,cpuacct/cpu.cfs_quota_us': '50000' }, Number.POSITIVE_INFINITY],
  ])('%s', (_, files, cores) => expect(quotaOf(files)).toBe(cores));
});

test('a machine without cgroups has no quota and no memory limit', () => {
  expect(cpuQuota(() => null)).toBe(Number.POSITIVE_INFINITY);
  expect(memoryLimit(() => null)).toBe(Number.POSITIVE_INFINITY);
});

test.each<[string, string, Files, number]>([
  ['of a container', '/', { 'memory.max': '536870912\n' }, 536_870_912],
  ['that is none', '/', { 'memory.max': 'max\n' }, Number.POSITIVE_INFINITY],
  ['of the slice above', '/a.slice/b.service', { 'a.slice/b.service/memory.max': 'max', 'a.slice/memory.max': '3' }, 3],
  ['that is smaller above', '/a/b', { 'a/b/memory.max': '4', 'a/memory.max': '2', 'memory.max': '8' }, 2],
  ['whose path is that of the host', '/docker/0123', { 'memory.max': '1000' }, 1_000],
  ['in a file with nonsense', '/', { 'memory.max': 'much of it' }, Number.POSITIVE_INFINITY],
  ['in an empty file', '/', { 'memory.max': '' }, Number.POSITIVE_INFINITY],
  ['without a file', '/a', {}, Number.POSITIVE_INFINITY],
])('the memory limit of cgroup v2 %s', (_, path, files, bytes) => {
  expect(memoryLimit(machine(`0::${path}\n`, files))).toBe(bytes);
});

test.each<[string, Files, number]>([
  ['of the process', { 'memory/docker/1/memory.limit_in_bytes': '2000\n' }, 2_000],
  ['of a container, which sees only the root', { 'memory/memory.limit_in_bytes': '3000\n' }, 3_000],
  [
    'that is smaller above',
    { 'memory/docker/1/memory.limit_in_bytes': '9223372036854771712', 'memory/docker/memory.limit_in_bytes': '4000' },
    4_000,
  ],
  ['of a controller other than memory', { 'cpu,cpuacct/memory.limit_in_bytes': '1' }, Number.POSITIVE_INFINITY],
])('the memory limit of cgroup v1 %s', (_, files, bytes) => {
  expect(memoryLimit(machine('5:memory:/docker/1\n4:cpu,cpuacct:/docker/1\n', files))).toBe(bytes);
});

test.each([
  [8, '250000 100000', 2],
  [2, '800000 100000', 2],
  [8, '50000 100000', 1],
  [8, 'max 100000', 8],
  [1, 'max 100000', 1],
])('%i offered cores and a quota of "%s" are %i cores', (offered, quota, cores) => {
  expect(usableCores(offered, machine('0::/\n', { 'cpu.max': quota }))).toBe(cores);
});

test('any text of these files is at least one core, and never more than offered', () => {
  assert(
    property(string(), string(), (cgroup, quota) => {
      const cores = usableCores(4, (path) => (path === '/proc/self/cgroup' ? `0::/\n${cgroup}` : quota));
      expect(cores).toBeGreaterThanOrEqual(1);
      expect(cores).toBeLessThanOrEqual(4);
    }),
  );
});
