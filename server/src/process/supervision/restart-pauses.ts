const FIRST_PAUSE_MILLISECONDS = 100;
const LONGEST_PAUSE_MILLISECONDS = 10_000;
/** If a process ran longer than this, the next one starts at once. */
const STABLE_MILLISECONDS = 30_000;

/** `after` takes the time that the process ran, and returns the milliseconds to wait before the next start. */
export function createRestartPauses(): { after(ranMilliseconds: number): number } {
  let failures = 0;
  return {
    after: (ranMilliseconds) => {
      failures = ranMilliseconds > STABLE_MILLISECONDS ? 0 : failures + 1;
      const pause = failures === 0 ? 0 : FIRST_PAUSE_MILLISECONDS * 2 ** Math.min(failures - 1, 10);
      return Math.min(pause, LONGEST_PAUSE_MILLISECONDS);
    },
  };
}
