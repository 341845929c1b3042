import { spawnSync } from 'node:child_process';

/** Runs a program to its end, and returns its output. Throws if it fails. */
export function run(program: string, ...args: readonly string[]): string {
  const { error, status, stderr, stdout } = spawnSync(program, args, { encoding: 'utf8' });
  if (status === 0) return stdout;
  throw new Error(`${[program, ...args].join(' ')}: ${error?.message ?? stderr.trim()}`);
}
