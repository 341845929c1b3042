import type { Clock } from '../../src/kernel/clock.ts';

export interface MovableClock extends Clock {
  /** Moves the clock forward. The clock then continues to run. */
  readonly advance: (milliseconds: number) => void;
}

/**
 * A clock that shows the system's time plus the time that a test has added. The database needs the real time; windows
 * and expiries need the added time.
 */
export function movableClock(): MovableClock {
  let offset = 0;
  return {
    now: () => new Date(Date.now() + offset),
    advance: (milliseconds) => {
      offset += milliseconds;
    },
  };
}
