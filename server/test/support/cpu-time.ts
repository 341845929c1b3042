/** Returns the CPU time of all threads since `earlier`. Limits on elapsed time are unreliable on a busy machine. */
export function cpuMillisecondsSince(earlier: NodeJS.CpuUsage): number {
  const { system, user } = process.cpuUsage(earlier);
  return (system + user) / 1_000;
}

const SPIN_CPU_MILLISECONDS = 50;

/** Multiplies a limit on elapsed time by the ratio of elapsed to CPU time of a short computation, but at least by 1. */
export function whileBusy(milliseconds: number): number {
  const began = performance.now();
  const earlier = process.cpuUsage();
  let spent = 0;
  while (spent < SPIN_CPU_MILLISECONDS) spent = cpuMillisecondsSince(earlier);
  return milliseconds * Math.max(1, (performance.now() - began) / spent);
}

/** The CPU time of ten million turns of the loop below, on the machine for which the tests' CPU limits were set. */
const USUAL_MILLISECONDS = 22.5;
const TEN_MILLION = 10_000_000;

/**
 * Returns how many times slower than usual this machine is now; at least 1. Runs a loop of `turns` turns several times,
 * and uses the fastest run.
 */
export function slowness({ tries = 5, turns = 2 * TEN_MILLION } = {}): number {
  const times = Array.from({ length: tries }, () => {
    const before = process.cpuUsage();
    let sum = 0;
    for (let count = 0; count < turns; count += 1) sum = (Math.imul(sum, 31) + count) % 1_000_003;
    const { user } = process.cpuUsage(before);
    return sum === -1 ? Number.POSITIVE_INFINITY : user / 1_000;
  });
  return Math.max(1, (Math.min(...times) * TEN_MILLION) / turns / USUAL_MILLISECONDS);
}
