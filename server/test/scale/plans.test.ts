import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOT_PATHS, type HotPath, type HotPathWorld, openHotPaths } from '../support/hot-paths.ts';

/** PostgreSQL plans a prepared statement five times before it considers a generic plan. */
const WARM_UP = 8;
const CALLS = 20;

let world: HotPathWorld;

beforeAll(async () => {
  world = await openHotPaths({
    // One connection runs the statements of all requests, so that each is prepared once.
    maximumConnections: 1,
    settings: { 'pg_stat_statements.track': 'all', 'pg_stat_statements.track_planning': 'on' },
  });
  await world.database.pool.query('create extension pg_stat_statements');
});
afterAll(() => world.close());

interface Planned {
  readonly query: string;
  readonly calls: number;
  readonly plans: number;
}

/** The relay may handle the events of two calls at once, so its statements run less often than those of the calls. */
const FEWEST_RUNS = CALLS / 2;

/**
 * This query finds the statements that ran at least `$1` times and were planned in more than half of their runs. Polls
 * for jobs and the polls of `drained` may run as often, but belong to no request.
 */
const PLANNED = `select query, calls, plans from (
    select regexp_replace(query, '\\s+', ' ', 'g') as query, calls::integer, plans::integer
    from pg_stat_statements s join pg_database d on d.oid = s.dbid
    where d.datname = current_database() and calls >= $1 and plans > calls / 2
  ) planned
  where query not ilike '%pg_stat%' and query not like '%from jobs where run_at <=%'
    and query not like '%has_keys_to_make%'
  order by query`;

let number = 0;
async function repeat(times: number, { call, prepare }: HotPath): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    number += 1;
    await prepare?.();
    const { status } = await call(number);
    expect(status).toBeLessThan(300);
  }
  await world.service.drained();
}

test.each(HOT_PATHS)('%s: no statement is planned anew by each call', async (name) => {
  const path = world.paths[name];
  // The outbox is drained after each call. Otherwise, the relay would handle the events of several calls together, and
  // would run its statements too seldom.
  for (let run = 0; run < WARM_UP; run += 1) await repeat(1, path);
  await world.database.pool.query('select pg_stat_statements_reset()');
  await repeat(CALLS, path);
  const { rows } = await world.database.pool.query<Planned>(PLANNED, [FEWEST_RUNS]);
  expect(rows).toEqual([]);
});
