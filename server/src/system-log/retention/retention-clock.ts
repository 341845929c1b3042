const HOUR_MILLISECONDS = 3_600_000;
const DAY_MILLISECONDS = 24 * HOUR_MILLISECONDS;

/** A step of the clock beyond this, forward or back, is not drift. */
const LARGEST_STEP_MILLISECONDS = DAY_MILLISECONDS;
/** After such a step nothing is dropped for this long, so that a wrong clock can be corrected. */
const PROBATION_MILLISECONDS = DAY_MILLISECONDS;
/**
 * Events are kept this much longer than each window, so that a clock that is ahead by less than a step drops nothing
 * too early.
 */
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
  /** The time from which windows are measured. Null: the clock is not trusted yet, and nothing may be dropped. */
  readonly now: Date | null;
  /** Whether the clock has made a step of more than a day since the last run. */
  readonly isStep: boolean;
}

/**
 * Returns the time by which events may be dropped: the earlier of this process's clock and the database's. For a day
 * after either clock made a step of more than a day (a wrong clock at start, an outage, time set by hand), it returns
 * none. So one wrong clock drops nothing, and if both are wrong, as on one machine, there is a day to notice.
 */
export function followClock(previous: RetentionClock | null, process: Date, database: Date): RetentionTime {
  const now = process < database ? process : database;
  const step = previous === null ? 0 : Math.abs(now.getTime() - previous.seenAt.getTime());
  const isStep = step > LARGEST_STEP_MILLISECONDS;
  const trustedFrom =
    previous === null || isStep ? new Date(now.getTime() + PROBATION_MILLISECONDS) : previous.trustedFrom;
  return { clock: { seenAt: now, trustedFrom }, now: now < trustedFrom ? null : now, isStep };
}

/** Events persisted before this instant have left a window of this many days. */
export const windowEnd = (now: Date, days: number): Date =>
  new Date(now.getTime() - days * DAY_MILLISECONDS - MARGIN_MILLISECONDS);
