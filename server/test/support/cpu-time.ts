/** Returns the CPU time of all threads since `earlier`. Limits on elapsed time are unreliable on a busy machine. */
export function cpuMillisecondsSince(earlier: NodeJS.CpuUsage): number {
  const { system, user } = process.cpuUsage(earlier);
  return (system + user) / 1_000;
}

const SPIN_CPU_MILLISECONDS = 50;

/** Multiplies a limit on elapsed time by the ratio of elapsed to CPU time of a short computation, but by 1 or more. */
export function whileBusy(milliseconds: number): number {
  const began = performance.now();
  const earlier = process.cpuUsage();
  let spent = 0;
  while (spent < SPIN_CPU_MILLISECONDS) spent = cpuMillisecondsSince(earlier);
  return milliseconds * Math.max(1, (performance.now() - began) / spent);
}
