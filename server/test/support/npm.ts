import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);

const MODULES = fileURLToPath(new URL('../../../node_modules/', import.meta.url));
const QUIET = ['--prefer-offline', '--no-audit', '--no-fund', '--no-update-notifier'];

const OF_THE_RUN = /^(GATEHOUSE_|npm_(?!config_(cache|registry|userconfig)$))/i;

/**
 * The environment without the variables of Gatehouse and of the npm that runs the tests. It keeps the settings for
 * npm's cache, registry and user configuration.
 */
export const npmEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || OF_THE_RUN.test(name) ? [] : [[name, value]],
  ),
);

export async function installPackages(folder: string, ...packages: string[]): Promise<string> {
  await mkdir(folder, { recursive: true });
  const given = ['install', '--prefix', folder, ...QUIET, ...packages];
  const { stderr, stdout } = await execute('npm', given, { cwd: folder, env: npmEnvironment });
  return `${stdout}${stderr}`;
}

/** The oldest Node release that package.json allows, and one release each of two later release lines. */
export const NODE_RELEASES = ['20.19.0', '22.23.3', '24.21.0'];

/** Installs a release of Node from npm's package for this platform. Returns the path of the executable. */
export async function installNode(version: string): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(MODULES, '.cache', 'gatehouse', `node-${version}`);
  const program = join(folder, 'node_modules', name, 'bin', 'node');
  if (!existsSync(program)) await installPackages(folder, '--ignore-scripts', `${name}@${version}`);
  return program;
}
