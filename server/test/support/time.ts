import type { Clock } from '../../src/kernel/clock.ts';

export interface MovableClock extends Clock {
  /** Moves the clock, which continues from there. */
  readonly advance: (milliseconds: number) => void;
}

/** The system's time plus what a test added: real enough for the database, movable for windows and expiries. */
export function movableClock(): MovableClock {
  let offset = 0;
  return {
    now: () => new Date(Date.now() + offset),
    advance: (milliseconds) => {
      offset += milliseconds;
    },
  };
}
