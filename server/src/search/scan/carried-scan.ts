import { type Driver, driversOf, normal, packPicks, unpackPicks } from '../plan.ts';
import type { SearchScope } from '../search-store.ts';
import type { IndexScan } from './choose-scan.ts';

export interface CarriedScan extends Omit<IndexScan, 'picks'> {
  /** The way chosen for each branch (see `packPicks`). If absent, every branch takes its first way. */
  readonly ways?: string;
}

function driverOf({ expression, table }: SearchScope, { driver }: Pick<IndexScan, 'driver'>): Driver | undefined {
  return expression === null ? undefined : driversOf(table, normal(expression))[driver];
}

export function carriedScan(scope: SearchScope, { picks = [], ...scan }: IndexScan): CarriedScan {
  if (picks.every((pick) => pick === 0)) return scan;
  const driver = driverOf(scope, scan);
  return driver === undefined ? scan : { ...scan, ways: packPicks(driver, picks) };
}

export function scanCarried(scope: SearchScope, { ways, ...scan }: CarriedScan): IndexScan {
  const driver = ways === undefined ? undefined : driverOf(scope, scan);
  return ways === undefined || driver === undefined ? scan : { ...scan, picks: unpackPicks(driver, ways) };
}
