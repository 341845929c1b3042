import { randomInt } from 'node:crypto';

/** Pauses between attempts in milliseconds: the first one, and the one up to which they double. */
export interface Backoff {
  readonly first: number;
  readonly longest: number;
}

export const JOB_BACKOFF: Backoff = { first: 5_000, longest: 3_600_000 };

/**
 * The pause before the next attempt. It doubles from the first to the longest, plus or minus a fifth, so that jobs that
 * failed together do not return together. `attempt` counts from 1; `share` (0 to 1) is for tests.
 */
export function backoffMilliseconds(
  attempt: number,
  backoff: Backoff = JOB_BACKOFF,
  share: number = randomInt(1_000_000) / 1_000_000,
): number {
  const pause = Math.min(backoff.first * 2 ** Math.min(attempt - 1, 30), backoff.longest);
  return Math.round(pause * (0.8 + 0.4 * share));
}
