/**
 * Returns the milliseconds of CPU that all threads of this process have taken since an earlier `process.cpuUsage()`.
 * The service of a test runs in this process. A bound on CPU holds on a busy machine; one on a clock does not.
 */
export function cpuMillisecondsSince(earlier: NodeJS.CpuUsage): number {
  const { system, user } = process.cpuUsage(earlier);
  return (system + user) / 1_000;
}

const SPIN_CPU_MILLISECONDS = 50;

/**
 * Returns a bound for a time by the clock: on a quiet machine the one that is given, and on one that is busy with
 * something else as many times more as a computation takes longer there than its own CPU time.
 */
export function whileBusy(milliseconds: number): number {
  const began = performance.now();
  const earlier = process.cpuUsage();
  let spent = 0;
  while (spent < SPIN_CPU_MILLISECONDS) spent = cpuMillisecondsSince(earlier);
  return milliseconds * Math.max(1, (performance.now() - began) / spent);
}
