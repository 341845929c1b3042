import { OTHERS } from '../formats/user-record.ts';
import type { ImportCounts } from './import-journal-store.ts';

/** The maximum number of left-out names to count separately. All other names are counted together. */
export const MAXIMUM_LEFT_OUT = 100;

export const NOTHING: ImportCounts = {
  rows: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  skipped: 0,
  refused: 0,
  memberships: 0,
  leftOut: {},
};

const COUNTED = ['rows', 'created', 'updated', 'unchanged', 'skipped', 'refused', 'memberships'] as const;

export function sum(left: ImportCounts, right: ImportCounts): ImportCounts {
  // In a plain object, a name from the file such as `constructor` would find an inherited member.
  const leftOut = new Map(Object.entries(left.leftOut));
  for (const [name, count] of Object.entries(right.leftOut)) {
    const key = leftOut.has(name) || leftOut.size < MAXIMUM_LEFT_OUT ? name : OTHERS;
    leftOut.set(key, (leftOut.get(key) ?? 0) + count);
  }
  const counts = Object.fromEntries(COUNTED.map((name) => [name, left[name] + right[name]]));
  return { ...left, ...counts, leftOut: Object.fromEntries(leftOut) };
}
