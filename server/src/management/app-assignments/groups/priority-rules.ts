import { outOfRange } from '../../../kernel/errors/field-errors.ts';

/** Far more than anyone orders by hand, and far below the limit of an integer. */
export const MAXIMUM_PRIORITY = 1_000_000;

/** 400 E0000001 unless the priority is a whole number from 0 to 1,000,000. Null when none was given. */
export function readPriority(given: unknown): number | null {
  if (given === undefined || given === null) return null;
  if (typeof given === 'number' && Number.isInteger(given) && given >= 0 && given <= MAXIMUM_PRIORITY) return given;
  throw outOfRange('priority', 0, MAXIMUM_PRIORITY);
}

/** Returns the priority after all others; the first group of an app gets 0. */
export const nextPriority = (taken: readonly number[]): number =>
  taken.reduce((last, priority) => Math.max(last, priority), -1) + 1;

/**
 * Finds the priorities of other groups that must shift up by one to free `wanted`: the gapless run that starts there.
 * Null when `wanted` is free.
 */
export function displacedBy(wanted: number, taken: readonly number[]): { from: number; to: number } | null {
  const others = new Set(taken);
  let to = wanted;
  while (others.has(to)) to += 1;
  return to === wanted ? null : { from: wanted, to: to - 1 };
}
