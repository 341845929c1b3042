import { spawn } from 'node:child_process';
import type { ClusterUser } from '../cluster/cluster-user.ts';

/** With this environment, PostgreSQL's programs do not inherit variables such as PGDATA from this process. */
const CLEAN_ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** Except on Windows, the working folder is `/`, because the user may be unable to enter the present one. */
export const spawnOptions = (user: ClusterUser | null) =>
  process.platform === 'win32' ? {} : { cwd: '/', env: CLEAN_ENVIRONMENT, ...user };

export interface Finished {
  readonly status: number | null;
  readonly output: string;
}

/** `output` contains both of the program's output streams. */
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
