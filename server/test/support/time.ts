import type { Clock } from '../../src/kernel/clock.ts';

export interface MovableClock extends Clock {
  /** Moves the clock forward. The clock then continues to run. */
  readonly advance: (milliseconds: number) => void;
}

/** A clock that adds time to the real time. The database needs the real time; expiries need the added time. */
export function movableClock(): MovableClock {
  let offset = 0;
  return {
    now: () => new Date(Date.now() + offset),
    advance: (milliseconds) => {
      offset += milliseconds;
    },
  };
}
