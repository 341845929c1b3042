import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/**
 * Installs the Debian packages whose files are missing (as root, on Debian). Each package is given with the path of one
 * of its files. Throws if a package cannot be installed.
 */
export function installPackages(packages: Readonly<Record<string, string>>): void {
  const missing = Object.entries(packages).flatMap(([path, name]) => (existsSync(path) ? [] : [name]));
  if (missing.length === 0) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]): boolean =>
    spawnSync('apt-get', ['-qq', ...args], { stdio: ['ignore', 2, 2], env }).status === 0;
  if (apt('update') && apt('install', '-y', '--no-install-recommends', ...missing)) return;
  throw new Error(`${missing.join(', ')} could not be installed from Debian's packages`);
}
