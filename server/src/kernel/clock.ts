/** The source of time in domain code. Tests can set the time. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** A smaller difference between two clocks is not corrected. It may be the time that a question and its answer took. */
const TOLERATED_MILLISECONDS = 1_000;
/** The correction ends below this difference, so that it does not begin and end by turns. */
const ENOUGH_MILLISECONDS = 500;
/** A correction that is wrong by less is kept, so that the time does not go back and forth. */
const KEPT_MILLISECONDS = 250;

/** A clock of this machine that follows another clock, when the two differ by more than a second (ADR 0085). */
export interface FollowingClock extends Clock {
  /** Takes note of how far the other clock is ahead. Returns whether the correction begins or ends. */
  follow(aheadMilliseconds: number): boolean;
  /** The time that is added to this machine's time. */
  readonly correctionMilliseconds: number;
}

export function createFollowingClock(clock: Clock = systemClock): FollowingClock {
  let correction = 0;
  return {
    now: () => (correction === 0 ? clock.now() : new Date(clock.now().getTime() + correction)),
    get correctionMilliseconds() {
      return correction;
    },
    follow: (aheadMilliseconds) => {
      const before = correction;
      const tolerated = before === 0 ? TOLERATED_MILLISECONDS : ENOUGH_MILLISECONDS;
      if (Math.abs(aheadMilliseconds) <= tolerated) correction = 0;
      else if (Math.abs(aheadMilliseconds - before) > KEPT_MILLISECONDS) correction = Math.round(aheadMilliseconds);
      return (before === 0) !== (correction === 0);
    },
  };
}
