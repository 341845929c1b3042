import { randomInt } from 'node:crypto';

/** The pauses between attempts, in milliseconds. Each pause is twice the one before, up to the longest. */
export interface Backoff {
  readonly first: number;
  readonly longest: number;
}

export const JOB_BACKOFF: Backoff = { first: 5_000, longest: 3_600_000 };

/**
 * Returns the pause before the next attempt, plus or minus a fifth, so that jobs that failed together do not run again
 * together. `attempt` is the number of the failed attempt, from 1.
 */
export function backoffMilliseconds(
  attempt: number,
  backoff: Backoff = JOB_BACKOFF,
  share: number = randomInt(1_000_000) / 1_000_000,
): number {
  const pause = Math.min(backoff.first * 2 ** Math.min(attempt - 1, 30), backoff.longest);
  return Math.round(pause * (0.8 + 0.4 * share));
}
