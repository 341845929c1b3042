import { readdirSync, readFileSync } from 'node:fs';

/** CPU time that all threads of a process have used, in microseconds, as Linux counts it. */
export function cpuMicroseconds(pid: number): number {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      // The thread ended after the folder was listed; the little time that it used is lost.
    }
  }
  return nanoseconds / 1_000;
}
