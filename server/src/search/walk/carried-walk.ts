import { type Driver, driversOf, normal, packPicks, unpackPicks } from '../plan.ts';
import type { SearchScope } from '../search-store.ts';
import type { Walk } from './choose-walk.ts';

/** A walk as a cursor carries it: bounded, however many branches its driver has. */
export interface CarriedWalk extends Omit<Walk, 'picks'> {
  /** The way chosen for each branch (see `packPicks`). When absent, every branch takes its first way. */
  readonly ways?: string;
}

function driverOf({ expression, table }: SearchScope, { driver }: Pick<Walk, 'driver'>): Driver | undefined {
  return expression === null ? undefined : driversOf(table, normal(expression))[driver];
}

export function carriedWalk(scope: SearchScope, { picks = [], ...walk }: Walk): CarriedWalk {
  if (picks.every((pick) => pick === 0)) return walk;
  const driver = driverOf(scope, walk);
  return driver === undefined ? walk : { ...walk, ways: packPicks(driver, picks) };
}

/** Restores the walk that `carriedWalk` packed for the same search. */
export function walkCarried(scope: SearchScope, { ways, ...walk }: CarriedWalk): Walk {
  const driver = ways === undefined ? undefined : driverOf(scope, walk);
  return ways === undefined || driver === undefined ? walk : { ...walk, picks: unpackPicks(driver, ways) };
}
