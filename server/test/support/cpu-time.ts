/**
 * Returns the milliseconds of CPU that all threads of this process, which runs the service of the test, have used since
 * an earlier `process.cpuUsage()`. A limit on CPU time is reliable on a busy machine, but a limit on elapsed time is
 * not.
 */
export function cpuMillisecondsSince(earlier: NodeJS.CpuUsage): number {
  const { system, user } = process.cpuUsage(earlier);
  return (system + user) / 1_000;
}

const SPIN_CPU_MILLISECONDS = 50;

/**
 * Returns a limit on elapsed time: the given one on a quiet machine. On a busy machine it is multiplied by the ratio of
 * elapsed time to CPU time that a computation has there.
 */
export function whileBusy(milliseconds: number): number {
  const began = performance.now();
  const earlier = process.cpuUsage();
  let spent = 0;
  while (spent < SPIN_CPU_MILLISECONDS) spent = cpuMillisecondsSince(earlier);
  return milliseconds * Math.max(1, (performance.now() - began) / spent);
}
