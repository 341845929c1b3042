import type { OrgId } from '../../kernel/words/ids.ts';
import { type Db, run } from '../postgres/index.ts';
import type { Lease } from './store.ts';

export interface Claimed extends Lease {
  readonly kind: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly lastError: string | null;
}

export interface ClaimOptions {
  readonly now: Date;
  /** The kinds that this process can run. */
  readonly kinds: readonly string[];
  readonly except: readonly OrgId[];
  readonly leaseMilliseconds: number;
  readonly limit: number;
}

/**
 * Claims due jobs of all orgs but `except`, starting with those that have been due longest. Leases use the database's
 * clock, so that nodes whose clocks differ do not take over each other's jobs.
 */
export const claim = (db: Db, options: ClaimOptions): Promise<Claimed[]> =>
  run<Claimed>(
    db,
    `with due as materialized (
       select org_id, id from jobs
       where run_at <= $1 and kind = any($2) and org_id <> all($5::text[])
         and (lease_until is null or lease_until < clock_timestamp())
       order by run_at limit $4::integer for update skip locked
     )
     update jobs set attempts = attempts + 1,
       lease_until = date_trunc('milliseconds', clock_timestamp() + make_interval(secs => $3::float8 / 1000))
     from due where jobs.org_id = due.org_id and jobs.id = due.id
     returning jobs.org_id as "orgId", jobs.id, kind, payload, attempts as attempt, lease_until as until,
       last_error as "lastError"`,
    [options.now, options.kinds, options.leaseMilliseconds, options.limit, options.except],
  );

export interface JobCounts {
  readonly due: number;
  readonly dead: number;
}

const MOST_COUNTED = 10_000;

export async function countJobs(db: Db, now: Date): Promise<JobCounts> {
  const [row] = await run<{ due: number; dead: number }>(
    db,
    `select
       (select count(*) from (select 1 from jobs where run_at <= $1 limit $2::integer) as waiting) as due,
       (select count(*) from (select 1 from jobs where run_at = 'infinity' limit $2::integer) as buried) as dead`,
    [now, MOST_COUNTED],
  );
  return { due: row?.due ?? 0, dead: row?.dead ?? 0 };
}
