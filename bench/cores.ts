import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { cpus } from 'node:os';

/** `spawnSubject` starts programs on this core. */
const SUBJECT_CORE = '0';
const GENERATOR_CORE = '1';

export const canPin: boolean =
  process.platform === 'linux' && cpus().length >= 2 && spawnSync('taskset', ['--version']).status === 0;

/** Moves this process with all its threads to the generator's core. */
export function pinGenerator(): void {
  if (canPin) spawnSync('taskset', ['-a', '-c', '-p', GENERATOR_CORE, String(process.pid)]);
}

/** Starts a program, on the measured core if programs can be pinned. Its child processes inherit the core. */
export function spawnSubject(program: string, given: readonly string[], options: SpawnOptions): ChildProcess {
  return canPin
    ? spawn('taskset', ['-c', SUBJECT_CORE, program, ...given], options)
    : spawn(program, [...given], options);
}

/** Starts a program on all cores, as a user's shell would. */
export function spawnFree(program: string, given: readonly string[], options: SpawnOptions): ChildProcess {
  const last = cpus().length - 1;
  return canPin
    ? spawn('taskset', ['-c', `0-${last}`, program, ...given], options)
    : spawn(program, [...given], options);
}
