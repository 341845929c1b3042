import type { ImportCounts } from './import-journal-store.ts';

/** Before the first row. */
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
  const names = Object.keys({ ...left.leftOut, ...right.leftOut });
  const leftOut = Object.fromEntries(
    names.map((name) => [name, (left.leftOut[name] ?? 0) + (right.leftOut[name] ?? 0)]),
  );
  return { ...left, ...Object.fromEntries(COUNTED.map((name) => [name, left[name] + right[name]])), leftOut };
}
