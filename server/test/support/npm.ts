import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);

const MODULES = fileURLToPath(new URL('../../../node_modules/', import.meta.url));
const QUIET = ['--prefer-offline', '--no-audit', '--no-fund', '--no-update-notifier'];

/** The npm that runs the tests tells its scripts about itself; an npm of its own shall not hear of it. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_(?!config_(cache|registry|userconfig)$)/i.test(name)),
);

/** Installs packages into a folder, from npm's cache where they are in it; resolves with what npm said. */
export async function installPackages(folder: string, ...packages: string[]): Promise<string> {
  await mkdir(folder, { recursive: true });
  const given = ['install', '--prefix', folder, ...QUIET, ...packages];
  const { stderr, stdout } = await execute('npm', given, { cwd: folder, env: environment });
  return `${stdout}${stderr}`;
}

/** Path of the program of that release of Node, which npm has as a package for each platform. */
export async function installNode(version: string): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(MODULES, '.cache', 'gatehouse', `node-${version}`);
  const program = join(folder, 'node_modules', name, 'bin', 'node');
  if (!existsSync(program)) await installPackages(folder, '--ignore-scripts', `${name}@${version}`);
  return program;
}
