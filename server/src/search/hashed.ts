import type { CheckedExpression, CheckedLeaf } from '../filter/index.ts';
import type { Db } from '../platform/postgres/index.ts';
import { comparesExactly, conjunctsOf, isLeaf } from './plan.ts';
import { isPoint, rangeOf } from './scan/key-range.ts';
import { type Hashed, MAXIMUM_HASHED } from './scan/leaf-store.ts';
import { probe, sampleRange } from './scan/probe-store.ts';
import type { Part, SearchScope } from './search-store.ts';

const FIRST = 200;
/** One lookup costs as much as counting this number of rows in a range and reading them into a hash table. */
const ROWS_A_PROBE = 15;
/** A lookup in order of id costs only as much as counting and reading this number of rows. */
const ROWS_A_PROBE_IN_ORDER = 5;

/** The maximum number of conditions per page that `hashedFor` considers reading as a whole. */
const MAXIMUM_CONSIDERED = 10;

const NONE: Hashed = new Set();

export interface Reading {
  /** The maximum number of matches to read, or Infinity if all matches are sorted first. */
  readonly wanted: number;
  readonly entries: number | undefined;
}

/**
 * Chooses conditions that are cheaper to read as a whole than to look up per row. The choice does not affect the order
 * of the rows, so it may differ between pages.
 */
export async function hashedFor(
  db: Db,
  scope: SearchScope,
  { filter, range }: Part,
  { entries = Number.POSITIVE_INFINITY, wanted }: Reading,
): Promise<Hashed> {
  const isServed = (part: CheckedExpression): part is CheckedLeaf =>
    isLeaf(part) && !comparesExactly(part) && rangeOf(scope.table, part) !== null;
  const leaves = filter === null ? [] : conjunctsOf(filter).filter(isServed);
  if (leaves.length === 0 || entries <= FIRST) return NONE;
  const matches = await sampleRange(db, scope, range, leaves, FIRST);
  if (matches === null) return NONE;
  const hashed = new Set<CheckedExpression>();
  const counted = leaves.map((leaf, index) => ({ leaf, found: matches[index] ?? 0 }));
  const considered = counted.toSorted((one, other) => one.found - other.found).slice(0, MAXIMUM_CONSIDERED);
  for (const { found, leaf } of considered) {
    const own = rangeOf(scope.table, leaf);
    const read = Math.min(entries, (wanted * FIRST) / Math.max(found, 1));
    if (own === null || read <= FIRST) continue;
    const worth = isPoint(own) && isPoint(range) ? ROWS_A_PROBE_IN_ORDER : ROWS_A_PROBE;
    const limit = Math.min(MAXIMUM_HASHED, Math.ceil(read * worth)) + 1;
    const { count } = await probe(db, scope, own, limit);
    if (count < limit) hashed.add(leaf);
  }
  return hashed;
}
