import { outOfRange } from '../../../kernel/errors/field-errors.ts';

export const MAXIMUM_PRIORITY = 1_000_000;

export function readPriority(given: unknown): number | null {
  if (given === undefined || given === null) return null;
  if (typeof given === 'number' && Number.isInteger(given) && given >= 0 && given <= MAXIMUM_PRIORITY) return given;
  throw outOfRange('priority', 0, MAXIMUM_PRIORITY);
}

export const nextPriority = (taken: readonly number[]): number =>
  taken.reduce((last, priority) => Math.max(last, priority), -1) + 1;

/** Finds the run of priorities, starting at `wanted`, that must shift up by one. */
export function displacedBy(wanted: number, taken: readonly number[]): { from: number; to: number } | null {
  const others = new Set(taken);
  let to = wanted;
  while (others.has(to)) to += 1;
  return to === wanted ? null : { from: wanted, to: to - 1 };
}

export function assertRoom(priority: number, displaced: { readonly to: number } | null): void {
  if (Math.max(priority, displaced === null ? 0 : displaced.to + 1) > MAXIMUM_PRIORITY) {
    throw outOfRange('priority', 0, MAXIMUM_PRIORITY);
  }
}
