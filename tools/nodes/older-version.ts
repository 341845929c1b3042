import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Launch } from '../crash/service-process.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

async function run(command: string, given: readonly string[], directory: string): Promise<void> {
  const child = spawn(command, given, { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${command} ${given.join(' ')} ended with ${code}`);
}

export interface OlderVersion {
  readonly launch: Launch;
  remove(): Promise<void>;
}

const LOCK_FILE = 'package-lock.json';

/**
 * Links this checkout's packages into the folder if the lock files are identical. Otherwise, installs packages there.
 */
async function providePackages(directory: string): Promise<void> {
  const [ours, theirs] = await Promise.all(
    [ROOT, directory].map((folder) => readFile(join(folder, LOCK_FILE), 'utf8')),
  );
  if (ours === theirs) await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  else await run('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], directory);
}

export async function buildOlderVersion(commit: string): Promise<OlderVersion> {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-older-'));
  const archive = join(directory, 'tree.tar');
  await run('git', ['archive', '--format=tar', `--output=${archive}`, commit], ROOT);
  await run('tar', ['-xf', archive], directory);
  await providePackages(directory);
  await run(process.execPath, ['tools/build.mjs'], directory);
  return {
    launch: {
      main: [join(directory, 'server/dist/main.js')],
      cli: [join(directory, 'server/dist/cli/gatehouse.js')],
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}
