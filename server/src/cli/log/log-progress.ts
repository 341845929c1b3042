const FIRST_MILLISECONDS = 3_000;
const EVERY_MILLISECONDS = 2_000;

/** Returns a function that prints progress to standard error from time to time. */
export function progressOf(name: string, verb: string): (done: number, all: number) => void {
  const startedAt = performance.now();
  let next = FIRST_MILLISECONDS;
  let first: number | null = null;
  return (done, all) => {
    first ??= done;
    const elapsed = performance.now() - startedAt;
    if (elapsed < next) return;
    next = elapsed + EVERY_MILLISECONDS;
    const perSecond = Math.round(((done - first) / elapsed) * 1_000);
    const numbers = [done, all, perSecond].map((number) => number.toLocaleString('en'));
    process.stderr.write(`${name}: ${verb} ${numbers[0]} of ${numbers[1]} (${numbers[2]} per second)\n`);
  };
}
