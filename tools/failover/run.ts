import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Runs a program to its end, and returns its output. Throws if it fails. */
export function run(program: string, ...args: readonly string[]): string {
  const { error, status, stderr, stdout } = spawnSync(program, args, { encoding: 'utf8' });
  if (status === 0) return stdout;
  throw new Error(`${[program, ...args].join(' ')}: ${error?.message ?? stderr.trim()}`);
}

const PACKAGES: Readonly<Record<string, string>> = {
  '/usr/lib/postgresql/15/bin/postgres': 'postgresql-15',
  '/usr/bin/patroni': 'patroni',
  '/usr/bin/etcd': 'etcd-server',
  '/usr/sbin/ip': 'iproute2',
};

/** Installs the packages that are missing (as root, on Debian). */
export function installPackages(): void {
  const missing = Object.entries(PACKAGES).flatMap(([path, name]) => (existsSync(path) ? [] : [name]));
  if (missing.length === 0) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]): boolean =>
    spawnSync('apt-get', ['-qq', ...args], { stdio: ['ignore', 2, 2], env }).status === 0;
  if (apt('update') && apt('install', '-y', '--no-install-recommends', ...missing)) return;
  throw new Error(`${missing.join(', ')} could not be installed from Debian's packages`);
}
