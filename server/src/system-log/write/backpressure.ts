import type { Backlog } from '../relay/relay-store.ts';

/**
 * The changes that are refused for now. `administrative` does not affect sign-ins, tokens and sessions; `everything`
 * refuses those too. Reads are never refused.
 */
export type BackpressureLevel = 'none' | 'administrative' | 'everything';

/** The backlog from which administrative changes are refused. */
export interface BacklogBounds {
  readonly events: number;
  readonly seconds: number;
}

export interface Backpressure {
  readonly level: () => BackpressureLevel;
  readonly observe: (backlog: Backlog) => void;
}

export interface BackpressureOptions {
  readonly bounds: BacklogBounds;
  readonly onChange?: (level: BackpressureLevel, backlog: Backlog) => void;
}

/** The level for sign-ins, as a multiple of the bounds. */
const EVERYTHING = 5;
/** A level ends when the backlog falls below this share of the bound that started it, so that it does not flicker. */
const RELIEF = 0.5;

/** The backlog relative to its bounds. 1: it has reached one of them. */
const pressureOf = ({ events, seconds }: Backlog, bounds: BacklogBounds): number =>
  Math.max(events / bounds.events, seconds / bounds.seconds);

/**
 * Decides which changes this process accepts, based on the relay's measurement of the queue once a second. The level is
 * its only state.
 */
export function createBackpressure({ bounds, onChange }: BackpressureOptions): Backpressure {
  let level: BackpressureLevel = 'none';
  /** A level that is in force ends at a smaller backlog than it started with. */
  const isReached = (start: number, holds: boolean, pressure: number): boolean =>
    pressure >= (holds ? start * RELIEF : start);
  const levelAt = (pressure: number): BackpressureLevel => {
    if (isReached(EVERYTHING, level === 'everything', pressure)) return 'everything';
    return isReached(1, level !== 'none', pressure) ? 'administrative' : 'none';
  };
  return {
    level: () => level,
    observe: (backlog) => {
      const next = levelAt(pressureOf(backlog, bounds));
      if (next === level) return;
      level = next;
      onChange?.(level, backlog);
    },
  };
}
