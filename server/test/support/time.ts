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
