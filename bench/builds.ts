import { spawnSync } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { installNode } from '../server/test/support/npm.ts';
import { ROOT } from './gatehouse.ts';

function runIn(folder: string, program: string, given: readonly string[]): void {
  const { status } = spawnSync(program, given, { cwd: folder, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${program} ${given.join(' ')} failed`);
}

const revisionOf = (name: string): string => {
  const { status, stdout } = spawnSync('git', ['rev-parse', '--verify', `${name}^{commit}`], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`Git knows no revision ${name}.`);
  return stdout.trim();
};

/**
 * Builds another revision in `bench/out/builds/` and returns its folder. Each build is measured with the packages of
 * its own lock file, because it is released with them.
 */
export function buildOf(name: string): string {
  const revision = revisionOf(name);
  const folder = join(ROOT, 'bench', 'out', 'builds', revision);
  if (!existsSync(folder)) runIn(ROOT, 'git', ['worktree', 'add', '--detach', '--force', folder, revision]);
  const isSame = spawnSync('git', ['diff', '--quiet', revision, '--', 'package-lock.json'], { cwd: ROOT }).status === 0;
  const modules = join(folder, 'node_modules');
  if (!existsSync(modules)) {
    if (isSame) symlinkSync(join(ROOT, 'node_modules'), modules);
    else runIn(folder, 'npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund']);
  }
  runIn(folder, process.execPath, [join('tools', 'build.mjs')]);
  return folder;
}

/**
 * Returns the program of a Node release, installed from its npm package. Without a release, returns the program that
 * runs the bench.
 */
export const nodeOf = (release: string | undefined): Promise<string> =>
  release === undefined ? Promise.resolve(process.execPath) : installNode(release);
