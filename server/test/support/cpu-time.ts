/**
 * Returns the CPU time of this process in milliseconds since an earlier `process.cpuUsage()`. It includes all threads
 * and the service of the test. Tests limit CPU time, because limits on elapsed time are unreliable on a busy machine.
 */
export function cpuMillisecondsSince(earlier: NodeJS.CpuUsage): number {
  const { system, user } = process.cpuUsage(earlier);
  return (system + user) / 1_000;
}

const SPIN_CPU_MILLISECONDS = 50;

/**
 * Returns a limit on elapsed time that allows for a busy machine. The given limit is multiplied by the ratio of elapsed
 * time to CPU time that a short computation has now.
 */
export function whileBusy(milliseconds: number): number {
  const began = performance.now();
  const earlier = process.cpuUsage();
  let spent = 0;
  while (spent < SPIN_CPU_MILLISECONDS) spent = cpuMillisecondsSince(earlier);
  return milliseconds * Math.max(1, (performance.now() - began) / spent);
}
