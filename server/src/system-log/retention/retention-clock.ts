const HOUR_MILLISECONDS = 3_600_000;
const DAY_MILLISECONDS = 24 * HOUR_MILLISECONDS;

/** A larger change of the clock between two runs, forward or back, counts as a step. */
const LARGEST_STEP_MILLISECONDS = DAY_MILLISECONDS;
/** Nothing is dropped for this long after the first run or after a step, so that a wrong clock can be corrected. */
const PROBATION_MILLISECONDS = DAY_MILLISECONDS;
/** Events are kept this much longer than their window, in case the clock is slightly ahead. */
const MARGIN_MILLISECONDS = DAY_MILLISECONDS;

/** The times that retention remembers between two runs. */
export interface RetentionClock {
  readonly seenAt: Date;
  /** Nothing is dropped before this time. */
  readonly trustedFrom: Date;
}

export interface RetentionTime {
  /** The clock to store for the next run. */
  readonly clock: RetentionClock;
  /** The time from which windows are measured. Null means that the clock is not trusted and nothing is dropped. */
  readonly now: Date | null;
  /** Whether the clock has changed by more than a day since the last run. */
  readonly isStep: boolean;
}

/**
 * Follows this process's clock or the database's clock, whichever is earlier. After the first run or a step, the clock
 * is not trusted for a while, so that a wrong clock does not cause events to be dropped at once.
 */
export function followClock(previous: RetentionClock | null, process: Date, database: Date): RetentionTime {
  const now = process < database ? process : database;
  const step = previous === null ? 0 : Math.abs(now.getTime() - previous.seenAt.getTime());
  const isStep = step > LARGEST_STEP_MILLISECONDS;
  const trustedFrom =
    previous === null || isStep ? new Date(now.getTime() + PROBATION_MILLISECONDS) : previous.trustedFrom;
  return { clock: { seenAt: now, trustedFrom }, now: now < trustedFrom ? null : now, isStep };
}

/** Events that were persisted before the returned time have left a window of this many days. */
export const windowEnd = (now: Date, days: number): Date =>
  new Date(now.getTime() - days * DAY_MILLISECONDS - MARGIN_MILLISECONDS);
