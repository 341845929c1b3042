import type { CheckedExpression } from '../../src/filter/index.ts';
import {
  allPoints,
  type Driver,
  driversOf,
  type IndexScan,
  type Place,
  runScan,
  type ScannedColumn,
  type SearchScope,
  scansChain,
  scansRange,
} from '../../src/search/index.ts';
import type { TestResponse } from './client.ts';
import type { TestOrg, TestService } from './service.ts';
import { followPages, linksOf } from './users.ts';

/** Returns index scans that can serve a search. In production, the number of rows decides which scan is used. */
export function scansOf({ expression, table }: SearchScope): IndexScan[] {
  const drivers = expression === null ? [] : driversOf(table, expression);
  return drivers.flatMap((driver, index): IndexScan[] => [
    ...(scansRange(driver) ? [{ kind: 'range', driver: index } as const] : []),
    ...(allPoints(driver) ? [{ kind: 'points', driver: index } as const] : []),
    ...picksOf(driver).flatMap((picks): IndexScan[] => [
      ...(scansChain(driver) ? [{ kind: 'chain', driver: index, picks } as const] : []),
      { kind: 'few', driver: index, picks },
    ]),
  ]);
}

/** Returns two choices of candidates: the first of every branch, and the last of every branch. */
const picksOf = ({ branches }: Driver): number[][] => [[], branches.map(({ candidates }) => candidates.length - 1)];

/**
 * Returns scans that can serve a sorted search. A range scan needs a driver whose conditions are all on the attribute
 * to sort by.
 */
export function sortedScansOf({ expression, table }: SearchScope, sortBy: string): IndexScan[] {
  const drivers = expression === null ? [] : driversOf(table, expression);
  const attributeId = table.attributeOf(sortBy)?.id;
  const isOwn = ({ branches }: Driver): boolean =>
    branches.every(({ candidates }) => candidates.every(({ range }) => range.attributeId === attributeId));
  return [
    { kind: 'sorted', driver: 0 },
    { kind: 'rows', driver: 0 },
    ...drivers.flatMap((driver, index): IndexScan[] => [
      { kind: 'few', driver: index },
      ...(scansRange(driver) && isOwn(driver) ? [{ kind: 'range', driver: index } as const] : []),
    ]),
  ];
}

/** Returns the same search, except that the matches of each condition are read completely and hashed. */
export function hashing(scope: SearchScope): SearchScope {
  const leavesOf = (part: CheckedExpression): CheckedExpression[] => {
    if (part.op === 'not') return leavesOf(part.operand);
    return part.op === 'and' || part.op === 'or' ? part.operands.flatMap(leavesOf) : [part];
  };
  return { ...scope, hashed: new Set(scope.expression === null ? [] : leavesOf(scope.expression)) };
}

/** A scan that returns more rows than this must be repeating itself, so it is stopped. */
const MAXIMUM_ROWS = 1_000;

export interface ReadAll {
  readonly limit: number;
  readonly descending: boolean;
  readonly backwards: boolean;
}

export async function readAll(
  service: TestService,
  scope: SearchScope,
  walk: IndexScan,
  sortBy: string | null,
  request: ReadAll,
): Promise<string[]> {
  const ids: string[] = [];
  for (let after: Place | null = null; ; ) {
    const page: ScannedColumn<object>[] = await runScan(service.application.db, scope, walk, sortBy, {
      ...request,
      after,
    });
    ids.push(...page.map(({ id }) => id));
    const last = page.at(-1);
    if (last === undefined || page.length < request.limit || ids.length > MAXIMUM_ROWS) return ids;
    after = { key: last.scanKey, id: last.id };
  }
}

/** Reads the pages before the last one backwards. Returns the ids of their users in forward order. */
export async function idsBefore(org: TestOrg, last: TestResponse): Promise<string[]> {
  const start = linksOf(last)['prev'];
  if (start === undefined) return [];
  const { sizes, users: found } = await followPages(org.admin, start, { relation: 'prev' });
  const ids = found.map(({ id }) => id as string);
  return sizes
    .map((size) => ids.splice(0, size))
    .toReversed()
    .flat();
}
