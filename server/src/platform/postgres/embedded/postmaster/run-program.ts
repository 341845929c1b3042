import { spawn } from 'node:child_process';
import type { ClusterUser } from '../cluster/cluster-user.ts';

/** The environment of PostgreSQL's programs. They must not inherit variables such as PGDATA from this process. */
const CLEAN_ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** Returns options for `spawn` (none on Windows): the user, a folder the user can enter, and a clean environment. */
export const spawnOptions = (user: ClusterUser | null) =>
  process.platform === 'win32' ? {} : { cwd: '/', env: CLEAN_ENVIRONMENT, ...user };

export interface Finished {
  readonly status: number | null;
  readonly output: string;
}

/** Runs a program to its end. `output` contains both of its output streams. Rejects if the program can't be started. */
export function runProgram(
  file: string,
  programArguments: readonly string[],
  user: ClusterUser | null,
  input = '',
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, programArguments, { ...spawnOptions(user), stdio: 'pipe' });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, output }));
    // A program that ends early closes its input. Its exit status says more than the error about the broken pipe.
    child.stdin.on('error', () => undefined).end(input);
  });
}
