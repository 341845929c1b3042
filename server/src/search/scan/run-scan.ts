import type { CheckedExpression } from '../../filter/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { hashedFor } from '../hashed.ts';
import { allOf, canRepeatOthers, type Driver, driversOf, noneOf, normal, routesOf } from '../plan.ts';
import {
  idsInManyParts,
  idsInParts,
  idsOfRows,
  type PageRequest,
  type Part,
  type ScannedColumn,
  type SearchScope,
  scanAbsent,
  scanById,
  scanPoints,
  scanRange,
  sortFew,
} from '../search-store.ts';
import type { SearchedAttribute } from '../searched-table.ts';
import type { IndexScan } from './choose-scan.ts';
import { wholeRange } from './key-range.ts';

const normalIn = ({ expression }: SearchScope): CheckedExpression | null =>
  expression === null ? null : normal(expression);

/**
 * Reads the rows that have the attribute, in order of its keys, and then all others. Backward pages start with the
 * others.
 */
async function scanSorted<Row>(
  db: Db,
  scope: SearchScope,
  attribute: SearchedAttribute,
  filter: CheckedExpression | null,
  request: PageRequest,
): Promise<ScannedColumn<Row>[]> {
  const { after, backwards, limit } = request;
  const withKey = (part: PageRequest) => scanRange<Row>(db, scope, { range: wholeRange(attribute), filter }, part);
  if (scope.table.neverAbsent.has(attribute.id)) return withKey(request);
  const without = (part: PageRequest) => scanAbsent<Row>(db, scope, attribute.id, filter, part);
  const [first, second] = backwards ? [without, withKey] : [withKey, without];
  const startsInSecond = after !== null && (after.key === null) !== backwards;
  if (startsInSecond) return second(request);
  const rows = await first(request);
  if (rows.length >= limit) return rows;
  return [...rows, ...(await second({ ...request, after: null, limit: limit - rows.length }))];
}

const KEY = /^(\d+) (.*)$/s;

/**
 * Reads one part after another, each in its own order. The `scanKey` of a row also contains the number of its part, so
 * that the next page can continue there.
 */
async function scanChain<Row>(
  db: Db,
  scope: SearchScope,
  parts: readonly Part[],
  request: PageRequest,
): Promise<ScannedColumn<Row>[]> {
  const [, at, key] = KEY.exec(request.after?.key ?? '') ?? [];
  const first = at === undefined ? (request.descending ? parts.length - 1 : 0) : Number(at);
  const rows: ScannedColumn<Row>[] = [];
  for (let index = first; rows.length < request.limit; index += request.descending ? -1 : 1) {
    const part = parts[index];
    if (part === undefined) break;
    const after = index === first && request.after !== null ? { key: key ?? null, id: request.after.id } : null;
    const found = await scanRange<Row>(db, scope, part, { ...request, after, limit: request.limit - rows.length });
    rows.push(...found.map((row) => ({ ...row, scanKey: `${index} ${row.scanKey}` })));
  }
  return rows;
}

/** Returns each branch with the filter for its rows. With `once`, a row belongs to the first branch that finds it. */
function partsOf(driver: Driver, picks: readonly number[], once: boolean): Part[] {
  const routes = routesOf(driver, picks);
  return routes.map(({ expression, range, rest }, index) => {
    // Two ranges of one condition never overlap.
    const earlier = once ? routes.slice(0, index).filter((route) => route.expression !== expression) : [];
    const others = noneOf(earlier.map((route) => route.expression));
    return { range, filter: allOf([rest, driver.others, others]) };
  });
}

function idsOf(scope: SearchScope, driver: Driver, picks: readonly number[], parts: readonly Part[]) {
  if (canRepeatOthers(driver)) return idsInParts(scope, parts);
  const bare = routesOf(driver, picks).map(({ range, rest }): Part => ({ range, filter: rest }));
  return idsInManyParts(scope, bare, driver.others);
}

/** The rows of a backward page are in reverse order. */
export async function runScan<Row>(
  db: Db,
  scope: SearchScope,
  scan: IndexScan,
  sortBy: string | null,
  request: PageRequest,
): Promise<ScannedColumn<Row>[]> {
  if (scan.kind === 'none') return [];
  const filter = normalIn(scope);
  const driver = filter === null ? undefined : driversOf(scope.table, filter)[scan.driver];
  const attribute = sortBy === null ? null : scope.table.attributeOf(sortBy);
  const within = async (part: Part, entries?: number): Promise<SearchScope> => {
    const wanted = scan.kind === 'few' ? Number.POSITIVE_INFINITY : request.limit;
    return { ...scope, hashed: scope.hashed ?? (await hashedFor(db, scope, part, { wanted, entries })) };
  };
  if (scan.kind === 'sorted' && attribute !== null) {
    const sorted = await within({ range: wholeRange(attribute), filter });
    return scanSorted(db, sorted, attribute, filter, request);
  }
  if (scan.kind === 'rows') return sortFew(db, scope, idsOfRows(scope, filter), attribute?.id ?? null, request);
  if (driver === undefined || scan.kind === 'id') return scanById(db, scope, filter, request);
  const picks = scan.picks ?? [];
  const parts = partsOf(driver, picks, scan.kind === 'chain');
  const [first] = parts;
  if (first === undefined) return scanById(db, scope, filter, request);
  const driven = await within(first, scan.entries);
  if (scan.kind === 'few') {
    return sortFew(db, driven, idsOf(driven, driver, picks, parts), attribute?.id ?? null, request);
  }
  if (scan.kind === 'points') return scanPoints(db, driven, parts, request);
  if (scan.kind === 'chain') return scanChain(db, driven, parts, request);
  return scanRange(db, driven, first, request);
}
