import { randomInt } from 'node:crypto';

const FIRST_PAUSE_MILLISECONDS = 5_000;
const LONGEST_PAUSE_MILLISECONDS = 3_600_000;

/**
 * Pause before the next attempt: doubles from 5 s to an hour, plus or minus a fifth, so that what failed together does
 * not come back together. `attempt` counts from 1; `share` (0 to 1) is for tests.
 */
export function backoffMilliseconds(attempt: number, share: number = randomInt(1_000_000) / 1_000_000): number {
  const pause = Math.min(FIRST_PAUSE_MILLISECONDS * 2 ** Math.min(attempt - 1, 20), LONGEST_PAUSE_MILLISECONDS);
  return Math.round(pause * (0.8 + 0.4 * share));
}
