import type { CheckedExpression } from '../../filter/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import {
  allPoints,
  canRepeatOthers,
  conditionOf,
  conjunctsOf,
  type Driver,
  driversOf,
  isNever,
  normal,
  readsRow,
  routesOf,
  scansChain,
  scansRange,
} from '../plan.ts';
import type { SearchScope } from '../search-store.ts';
import type { SearchedAttribute } from '../searched-table.ts';
import { probe, probeAll, probeRows, sample } from './probe-store.ts';

/** The way in which the pages of one search are read. Cursors carry it, because every page must use the same order. */
export interface IndexScan {
  readonly kind: 'none' | 'id' | 'range' | 'points' | 'chain' | 'few' | 'rows' | 'sorted';
  readonly driver: number;
  /** The way chosen for each branch of the driver. A branch without an entry takes its first way. */
  readonly picks?: readonly number[];
  /** The number of the driver's index rows. It is set only if all of them were counted. */
  readonly entries?: number;
}

const BY_ID: IndexScan = { kind: 'id', driver: 0 };
const ROWS: IndexScan = { kind: 'rows', driver: 0 };
const SORTED: IndexScan = { kind: 'sorted', driver: 0 };

/** Counting stops at this number of rows. */
export const MANY = 10_001;
/** A driver with this many rows or fewer is chosen at once. */
const HARDLY_ANY = 200;
/** A `co` condition is rare if fewer rows than this satisfy it. */
const RARE = 201;
/** The maximum number of statements that count ranges for one choice. */
const MAXIMUM_PROBES = 50;
/** If a driver has more branches than this, one statement counts this many of its branches. */
const BRANCHES_PER_PROBE = 25;
/** The maximum number of branches in a chain. Each branch has its own statement. */
const MAXIMUM_CHAIN = 50;
/** The size of the sample that may be read if every driver of a sorted search has many rows. */
const LOT = 1_000;
/** With fewer matches than this in the sample, a sorted scan could read almost every row. */
const LOT_MATCHES = 5;

/** A driver with the ways chosen for its branches and the number of its index rows, up to a limit. */
interface Choice {
  readonly index: number;
  readonly driver: Driver;
  readonly picks: readonly number[];
  readonly count: number;
  /** The `reach` of the estimate if the driver is a single point that was counted, otherwise null. */
  readonly reach: string | null;
}

const isPoint = (driver: Driver): boolean => scansRange(driver) && allPoints(driver);

interface Probes {
  left: number;
}

type Counted = Omit<Choice, 'index'>;

/** Counts the index rows of a driver, up to `limit`, and chooses the way with the fewest rows for each branch. */
async function estimateFew(
  db: Db,
  scope: SearchScope,
  driver: Driver,
  limit: number,
  probes: Probes,
): Promise<Counted> {
  const picks: number[] = [];
  let total = 0;
  let reach: string | null = null;
  for (const { candidates } of driver.branches) {
    let best = { pick: 0, count: limit };
    // A branch need not be counted if it has a single way and the total has already reached the limit.
    if (total < limit || candidates.length > 1) {
      for (const [pick, { range }] of candidates.entries()) {
        if (probes.left === 0) break;
        probes.left -= 1;
        const estimate = await probe(db, scope, range, best.count);
        if (isPoint(driver)) reach = estimate.reach;
        if (estimate.count < best.count) best = { pick, count: estimate.count };
      }
    }
    picks.push(best.pick);
    total += best.count;
  }
  return { driver, picks, count: Math.min(total, limit), reach };
}

/** Works like `estimateFew` for a driver with many branches. Each statement counts several branches. */
async function estimateMany(
  db: Db,
  scope: SearchScope,
  driver: Driver,
  limit: number,
  probes: Probes,
): Promise<Counted> {
  const picks: number[] = [];
  let total = 0;
  for (let at = 0; at < driver.branches.length; at += BRANCHES_PER_PROBE) {
    const branches = driver.branches.slice(at, at + BRANCHES_PER_PROBE);
    const matters = total < limit || branches.some(({ candidates }) => candidates.length > 1);
    let counts: readonly number[] = [];
    if (matters && probes.left > 0) {
      probes.left -= 1;
      const ranges = branches.flatMap(({ candidates }) => candidates.map(({ range }) => range));
      counts = await probeAll(db, scope, ranges, limit);
    }
    let seen = 0;
    for (const { candidates } of branches) {
      const own = candidates.map((_, index) => counts[seen + index] ?? limit);
      const count = Math.min(...own);
      seen += candidates.length;
      picks.push(own.indexOf(count));
      total += count;
    }
  }
  return { driver, picks, count: Math.min(total, limit), reach: null };
}

/**
 * Tests whether one driver with many rows is better than another. The rarer of two points is better. A driver that has
 * ranges other than points is better than one with only points, because points are cheap to probe.
 */
function isBetterOfMany(choice: Choice, than: Choice): boolean {
  if (choice.reach !== null && than.reach !== null) return choice.reach > than.reach;
  return allPoints(than.driver) && !allPoints(choice.driver);
}

async function cheapest(db: Db, scope: SearchScope, drivers: readonly Driver[]): Promise<Choice | null> {
  let best: Choice | null = null;
  const probes: Probes = { left: MAXIMUM_PROBES };
  for (const [index, driver] of drivers.entries()) {
    if (best !== null && probes.left === 0) break;
    const estimateOf = driver.branches.length > BRANCHES_PER_PROBE ? estimateMany : estimateFew;
    const choice: Choice = { index, ...(await estimateOf(db, scope, driver, best?.count ?? MANY, probes)) };
    const isTie = best?.count === MANY && choice.count === MANY;
    if (best === null || choice.count < best.count || (isTie && isBetterOfMany(choice, best))) best = choice;
    if (choice.count <= HARDLY_ANY) break;
  }
  return best;
}

const isBare = ({ branches, others }: Driver): boolean =>
  others === null && branches.every(({ candidates }) => candidates.every(({ rest }) => rest === null));

const scansPoints = (driver: Driver): boolean => allPoints(driver) && (canRepeatOthers(driver) || isBare(driver));

function scanOf({ count, driver, index, picks }: Choice, inIdOrder: boolean): IndexScan {
  const entries = count < MANY ? { entries: count } : {};
  if (!inIdOrder && scansRange(driver)) return { kind: 'range', driver: index, ...entries };
  if (scansPoints(driver)) return { kind: 'points', driver: index, picks, ...entries };
  if (count < MANY) return { kind: 'few', driver: index, picks, ...entries };
  const isShort = driver.branches.length <= MAXIMUM_CHAIN;
  return !inIdOrder && isShort && scansChain(driver) ? { kind: 'chain', driver: index, picks } : BY_ID;
}

/**
 * Tests whether few rows satisfy the first `co` condition, while the best driver has more rows or there is no driver.
 */
async function hasRareText(db: Db, scope: SearchScope, expression: CheckedExpression, best: Choice | null) {
  if (best !== null && best.count <= RARE) return false;
  const text = conjunctsOf(expression).find(({ op }) => op === 'co');
  return text !== undefined && (await probeRows(db, scope, text, RARE)) < RARE;
}

const few = ({ index, picks }: Pick<Choice, 'index' | 'picks'>): IndexScan => ({ kind: 'few', driver: index, picks });

/** Chooses to sort all matches if they seem few, and otherwise to scan the sort attribute until the page is full. */
async function chooseSorted(
  db: Db,
  scope: SearchScope,
  expression: CheckedExpression,
  drivers: readonly Driver[],
  attribute: SearchedAttribute,
): Promise<IndexScan> {
  const best = await cheapest(db, scope, drivers);
  if (await hasRareText(db, scope, expression, best)) return ROWS;
  if (best === null) return SORTED;
  if (best.count < MANY) return few(best);
  // The rows in a range of the sort attribute are already in order.
  const own = drivers.findIndex(
    (driver) => scansRange(driver) && routesOf(driver, []).every(({ range }) => range.attributeId === attribute.id),
  );
  const scan: IndexScan = own === -1 ? SORTED : { kind: 'range', driver: own };
  if (conjunctsOf(expression).length === 1) return scan;
  const each = drivers.map((driver) => conditionOf(driver) ?? expression);
  const [matches = 0, ...counts] = await sample(db, scope, [expression, ...each], LOT);
  if (matches >= LOT_MATCHES) return scan;
  const index = counts.indexOf(Math.min(...counts));
  return few(best.index === index ? best : { index, picks: [] });
}

/**
 * Chooses how the pages of a search are read (ADR 0009). PostgreSQL's planner cannot choose well, because its
 * statistics cover all attributes of all orgs. The expression is normalized to an `and` of conjuncts. A conjunct is a
 * driver if all its matches lie in ranges of the attribute index. Scanning the ranges of a driver finds every match,
 * and each row found is tested for the other conjuncts. The cheapest driver is the one with the fewest index rows,
 * which are counted up to 10,001 with at most 50 statements. A driver that is not counted is treated as large. A range
 * returns rows in the order of its keys, and points are merged by id. If any other driver has few rows, all of them are
 * read and sorted. For an `or` of ranges with many rows, the operands are scanned one after another, each without the
 * rows of earlier operands. Without a usable driver, rows are read in order of id. If few rows satisfy a `co` condition
 * but every driver has more, all matches are read from the table itself and sorted. With `sortBy`, few matches are
 * sorted; otherwise the range of the sort attribute is scanned until the page is full. If hardly any row matches, such
 * a scan could read almost every row, so for several conjuncts a sample of 1,000 rows is read first. The cursor carries
 * the choice, because every page must be read in the same order.
 */
export async function chooseScan(db: Db, scope: SearchScope, sortBy: string | null): Promise<IndexScan> {
  const attribute = sortBy === null || sortBy === 'id' ? null : scope.table.attributeOf(sortBy);
  const expression = scope.expression === null ? null : normal(scope.expression);
  if (expression === null) return attribute === null ? BY_ID : SORTED;
  const drivers = driversOf(scope.table, expression);
  if (isNever(drivers)) return { kind: 'none', driver: 0 };
  if (attribute !== null) return chooseSorted(db, scope, expression, drivers, attribute);
  const inIdOrder = sortBy === 'id';
  const only = drivers.length === 1 && !readsRow(expression) ? drivers[0] : undefined;
  // If a range is the only driver, there is nothing to compare by counting.
  if (!inIdOrder && only !== undefined && scansRange(only)) return { kind: 'range', driver: 0 };
  const best = await cheapest(db, scope, drivers);
  if (best === null) return BY_ID;
  return (await hasRareText(db, scope, expression, best)) ? ROWS : scanOf(best, inIdOrder);
}
