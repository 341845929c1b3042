import type { Backlog } from '../relay/relay-store.ts';

/** The changes that are refused. At `administrative`, users can still sign in, and clients can still get tokens. */
export type BackpressureLevel = 'none' | 'administrative' | 'everything';

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

/** The backlog at which the level `everything` starts, as a multiple of the bounds. */
const EVERYTHING = 5;
/** A level ends only below this share of the backlog at which it starts, so that levels do not alternate quickly. */
const RELIEF = 0.5;

/** Returns the backlog relative to its bounds. At 1, the backlog has reached one of the bounds. */
const pressureOf = ({ events, seconds }: Backlog, bounds: BacklogBounds): number =>
  Math.max(events / bounds.events, seconds / bounds.seconds);

export function createBackpressure({ bounds, onChange }: BackpressureOptions): Backpressure {
  let level: BackpressureLevel = 'none';
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
