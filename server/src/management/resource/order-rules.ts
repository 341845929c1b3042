/** Places between two bounds that are shifted by one, down (1) or up (-1), when a row moves. */
export interface Shift {
  readonly from: number;
  readonly to: number;
  readonly by: 1 | -1;
}

/** A place after all others. */
const END = 2_147_483_646;

/** The new place of a row: the requested one, but not after the default's (`last`); by default just before it. */
export const placeOf = (wanted: number | null, last: number): number => Math.min(wanted ?? last, last);

export const shiftForInsert = (place: number): Shift => ({ from: place, to: END, by: 1 });

export const shiftForRemoval = (place: number): Shift => ({ from: place + 1, to: END, by: -1 });

/** Null when the row stays where it is. */
export function shiftForMove(from: number, to: number): Shift | null {
  if (from === to) return null;
  return to < from ? { from: to, to: from - 1, by: 1 } : { from: from + 1, to, by: -1 };
}
