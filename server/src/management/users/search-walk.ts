import type { Db } from '../../platform/postgres/index.ts';
import { ATTRIBUTE_IDS } from './attribute-values.ts';
import { attributeIdOf } from './search-fields.ts';
import { type Driver, driversOf, type KeyRange } from './search-plan.ts';
import {
  allPoints,
  type PageRequest,
  PROBE_LIMIT,
  probe,
  type Scope,
  SORT_PROBE_LIMIT,
  sortFew,
  type WalkedUser,
  walkAbsent,
  walkById,
  walkPoints,
  walkRange,
} from './search-store.ts';

/** How the pages of one search are walked. Cursors carry it, so that every page of a search walks alike. */
export interface Walk {
  readonly kind: 'id' | 'range' | 'points' | 'few' | 'sorted';
  /** Which of the expression's drivers; unused by `id` and `sorted`. */
  readonly driver: number;
}

const BY_ID: Walk = { kind: 'id', driver: 0 };

/** Each point repeats the other conjuncts: a statement grows with the product of the two. */
const MAXIMUM_POINTS_WITH_CONJUNCTS = 10;

/** Whether the one driver is the whole expression, so that what it finds needs no second look. */
const isWhole = ({ expression }: Scope): boolean => expression?.op !== 'and';

const walksPoints = (scope: Scope, driver: Driver): boolean =>
  allPoints(driver) && (isWhole(scope) || driver.ranges.length <= MAXIMUM_POINTS_WITH_CONJUNCTS);

async function cheapest(
  db: Db,
  scope: Scope,
  drivers: readonly Driver[],
  limit = PROBE_LIMIT,
): Promise<{ index: number; count: number }> {
  let best = { index: 0, count: Number.POSITIVE_INFINITY };
  for (const [index, driver] of drivers.entries()) {
    const count = await probe(db, scope.orgId, driver, limit);
    if (count < best.count) best = { index, count };
    if (count === 0) break;
  }
  return best;
}

/** Only points hand out their users in id order; other ranges do when they are few enough to be sorted. */
async function chooseWalkById(db: Db, scope: Scope, drivers: readonly Driver[]): Promise<Walk> {
  if (drivers.length === 0) return BY_ID;
  const { index, count } = await cheapest(db, scope, drivers);
  const driver = drivers[index];
  if (driver !== undefined && walksPoints(scope, driver)) return { kind: 'points', driver: index };
  return count < PROBE_LIMIT ? { kind: 'few', driver: index } : BY_ID;
}

/** Chooses the walk: the driving conjunct is the one with the fewest index rows, each probed to its limit. */
export async function chooseWalk(db: Db, scope: Scope, sortBy: string | null): Promise<Walk> {
  const drivers = scope.expression === null ? [] : driversOf(scope.expression);
  if (sortBy === 'id') return chooseWalkById(db, scope, drivers);
  const sorted = sortBy !== null;
  if (drivers.length === 0) return sorted ? { kind: 'sorted', driver: 0 } : BY_ID;
  const only = drivers.length === 1 ? drivers[0] : undefined;
  // Nothing to choose between: the one range, or the one set of points, is walked in its own order.
  if (!sorted && only !== undefined && only.ranges.length === 1) return { kind: 'range', driver: 0 };
  if (!sorted && only !== undefined && walksPoints(scope, only)) return { kind: 'points', driver: 0 };
  const { index, count } = await cheapest(db, scope, drivers, sorted ? SORT_PROBE_LIMIT : PROBE_LIMIT);
  if (sorted) return count < SORT_PROBE_LIMIT ? { kind: 'few', driver: index } : { kind: 'sorted', driver: 0 };
  const driver = drivers[index];
  if (driver === undefined) return BY_ID;
  if (driver.ranges.length === 1) return { kind: 'range', driver: index };
  if (walksPoints(scope, driver)) return { kind: 'points', driver: index };
  return count < PROBE_LIMIT ? { kind: 'few', driver: index } : BY_ID;
}

const whole = (attributeId: number): KeyRange => ({
  attributeId,
  from: null,
  fromInclusive: true,
  to: null,
  toInclusive: true,
});

/** Attributes that every user has: nobody is left to be looked for behind them. */
const NEVER_ABSENT: ReadonlySet<number> = new Set([
  ATTRIBUTE_IDS.status,
  ATTRIBUTE_IDS.created,
  ATTRIBUTE_IDS.lastUpdated,
  ATTRIBUTE_IDS['type.id'],
  ATTRIBUTE_IDS['profile.login'],
  ATTRIBUTE_IDS['profile.email'],
]);

/** Users with the attribute in its order, then those without it; backwards the other way round. */
async function walkSorted(db: Db, scope: Scope, attributeId: number, request: PageRequest): Promise<WalkedUser[]> {
  const { after, backwards, limit } = request;
  const withKey = (part: PageRequest) => walkRange(db, scope, whole(attributeId), part);
  if (NEVER_ABSENT.has(attributeId)) return withKey(request);
  const without = (part: PageRequest) => walkAbsent(db, scope, attributeId, part);
  const [first, second] = backwards ? [without, withKey] : [withKey, without];
  const startsInSecond = after !== null && (after.key === null) !== backwards;
  if (startsInSecond) return second(request);
  const rows = await first(request);
  if (rows.length >= limit) return rows;
  return [...rows, ...(await second({ ...request, after: null, limit: limit - rows.length }))];
}

/** One page of a walk, in the order of reading. */
export function takeWalk(
  db: Db,
  scope: Scope,
  walk: Walk,
  sortBy: string | null,
  request: PageRequest,
): Promise<WalkedUser[]> {
  const driver = scope.expression === null ? undefined : driversOf(scope.expression)[walk.driver];
  const [first] = driver?.ranges ?? [];
  const sortId = sortBy === null ? null : attributeIdOf(sortBy);
  if (walk.kind === 'sorted' && sortId !== null) return walkSorted(db, scope, sortId, request);
  if (walk.kind === 'few' && driver !== undefined) return sortFew(db, scope, driver, sortId, request);
  if (walk.kind === 'points' && driver !== undefined) {
    return walkPoints(db, isWhole(scope) ? { ...scope, expression: null } : scope, driver.ranges, request);
  }
  if (walk.kind === 'range' && first !== undefined) return walkRange(db, scope, first, request);
  return walkById(db, scope, request);
}
