import { readdirSync, readFileSync } from 'node:fs';

/** CPU time that all threads of a process have had, in microseconds; as Linux counts it. */
export function cpuMicroseconds(pid: number): number {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      // It ended between the two looks; its time is lost, and was little.
    }
  }
  return nanoseconds / 1_000;
}
