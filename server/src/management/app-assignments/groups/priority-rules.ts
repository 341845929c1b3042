import { outOfRange } from '../../../kernel/errors/field-errors.ts';

/** The highest priority number. Nobody orders this many groups by hand, and it is far below the limit of an integer. */
export const MAXIMUM_PRIORITY = 1_000_000;

/** Reads a priority. Returns null for none. Throws 400 E0000001 unless it is a whole number from 0 to 1,000,000. */
export function readPriority(given: unknown): number | null {
  if (given === undefined || given === null) return null;
  if (typeof given === 'number' && Number.isInteger(given) && given >= 0 && given <= MAXIMUM_PRIORITY) return given;
  throw outOfRange('priority', 0, MAXIMUM_PRIORITY);
}

/** Returns the priority after all others. The first group of an app gets 0. */
export const nextPriority = (taken: readonly number[]): number =>
  taken.reduce((last, priority) => Math.max(last, priority), -1) + 1;

/**
 * Finds the priorities that must shift up by one to free `wanted`: the run without gaps that starts at `wanted`.
 * Returns null when no other group has `wanted`.
 */
export function displacedBy(wanted: number, taken: readonly number[]): { from: number; to: number } | null {
  const others = new Set(taken);
  let to = wanted;
  while (others.has(to)) to += 1;
  return to === wanted ? null : { from: wanted, to: to - 1 };
}

/** Throws 400 E0000001 if the priority of a group, or of the last that makes room for it, would exceed the maximum. */
export function assertRoom(priority: number, displaced: { readonly to: number } | null): void {
  if (Math.max(priority, displaced === null ? 0 : displaced.to + 1) > MAXIMUM_PRIORITY) {
    throw outOfRange('priority', 0, MAXIMUM_PRIORITY);
  }
}
