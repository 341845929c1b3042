/** The rows at the places `from` to `to` move down (1) or up (-1) when another row is inserted, moved or removed. */
export interface Shift {
  readonly from: number;
  readonly to: number;
  readonly by: 1 | -1;
}

/** The last possible place. After a shift by one, it still fits in a 32-bit integer. */
const END = 2_147_483_646;

export const placeOf = (wanted: number | null, last: number): number => Math.min(wanted ?? last, last);

export const shiftForInsert = (place: number): Shift => ({ from: place, to: END, by: 1 });

export const shiftForRemoval = (place: number): Shift => ({ from: place + 1, to: END, by: -1 });

export function shiftForMove(from: number, to: number): Shift | null {
  if (from === to) return null;
  return to < from ? { from: to, to: from - 1, by: 1 } : { from: from + 1, to, by: -1 };
}
