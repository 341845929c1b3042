import { spawnSync } from 'node:child_process';

/** Runs a program to its end, and returns its output. Throws if it fails. */
export function run(...command: readonly string[]): string {
  const [program = '', ...args] = command;
  const { error, status, stderr, stdout } = spawnSync(program, args, { encoding: 'utf8' });
  if (status === 0) return stdout;
  throw new Error(`${command.join(' ')}: ${error?.message ?? stderr.trim()}`);
}
