import type { Clock } from '../../src/kernel/clock.ts';

export interface MovableClock extends Clock {
  /** Moves the clock forward, or back if the number is negative. The clock then continues to run. */
  readonly advance: (milliseconds: number) => void;
}

export function movableClock(): MovableClock {
  let offset = 0;
  return {
    now: () => new Date(Date.now() + offset),
    advance: (milliseconds) => {
      offset += milliseconds;
    },
  };
}

/**
 * Returns SQL for a time that is moved by an interval, such as `-1 hour`. Citus refuses the plain sum in an update,
 * because it depends on the time zone of the session.
 */
export const movedBy = (column: string, interval: string): string =>
  `(${column} at time zone 'UTC' + interval '${interval}') at time zone 'UTC'`;
