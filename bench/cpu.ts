import { readdirSync, readFileSync } from 'node:fs';

/** Returns the CPU time in microseconds that all threads of a process have used, as Linux counts it. */
export function cpuMicroseconds(pid: number): number {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      // The thread ended after the directory was listed, so its CPU time is not counted.
    }
  }
  return nanoseconds / 1_000;
}
