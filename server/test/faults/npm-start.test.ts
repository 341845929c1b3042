import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { ownerOf } from '../../src/platform/postgres/embedded/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import { newPlace } from '../support/server-process.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const place = beforeTests(() => newPlace());
const groups = new Set<number>();
afterAll(async () => {
  for (const group of groups) if (isAlive(-group)) process.kill(-group, 'SIGKILL');
  await place.remove();
});

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Runs `npm start` in a separate process group, as a terminal does. Resolves when the service is ready. */
async function npmStart(): Promise<{ npm: ChildProcess; pid: number; serving: number }> {
  const npm = spawn('npm', ['start'], {
    cwd: ROOT,
    env: { HOME: place.directory, ...place.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const { pid = 0 } = npm;
  groups.add(pid);
  let said = '';
  for (const stream of [npm.stdout, npm.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
    });
  }
  await expect.poll(() => said, { timeout: 60_000 }).toContain('Gatehouse is ready');
  return { npm, pid, serving: (await ownerOf(place.dataDirectory)) ?? 0 };
}

const postmaster = (): boolean => existsSync(join(place.dataDirectory, 'postgres', 'postmaster.pid'));

test.each<[string, (pid: number) => unknown]>([
  ['SIGTERM to npm', (pid) => process.kill(pid, 'SIGTERM')],
  ['Ctrl-C, which signals the whole group', (pid) => process.kill(-pid, 'SIGINT')],
  ['the end of npm without a word', (pid) => process.kill(pid, 'SIGKILL')],
])(
  '%s ends the server, and its PostgreSQL cleanly',
  async (_, stop) => {
    const { pid, serving } = await npmStart();
    expect(serving).not.toBe(0);
    expect(isAlive(serving)).toBe(true);
    expect(postmaster()).toBe(true);
    stop(pid);
    await expect.poll(() => isAlive(serving)).toBe(false);
    expect(postmaster()).toBe(false);
  },
  120_000,
);
