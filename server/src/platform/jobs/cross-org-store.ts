import type { OrgId } from '../../kernel/words/ids.ts';
import { byOrg, type Db, run } from '../postgres/index.ts';
import { type Lease, leaseEnd } from './store.ts';

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

interface DueJob {
  readonly org_id: OrgId;
  readonly id: number;
}

const FIND = `select org_id, id from jobs
  where run_at <= $1 and kind = any($2) and org_id <> all($3::text[])
    and (lease_until is null or lease_until < clock_timestamp())
  order by run_at limit $4::integer`;

const CLAIM = `with due as materialized (
    select id from jobs
    where org_id = $1 and id = any($2::bigint[]) and run_at <= $3
      and (lease_until is null or lease_until < clock_timestamp())
    for update skip locked
  )
  update jobs set attempts = attempts + 1,
    lease_until = lease.until
  from due, ${leaseEnd('$4')} where jobs.org_id = $1 and jobs.id = due.id
  returning jobs.org_id as "orgId", jobs.id, kind, payload, attempts as attempt, lease_until as until,
    last_error as "lastError"`;

/** More jobs are found than are wanted, because transactions may have locked some, or other processes claim them. */
const mostFound = (limit: number): number => 4 * limit + 16;

/**
 * Claims due jobs of all orgs but `except`, starting with those that have been due longest. They are found in all orgs
 * at once and claimed org by org, past those that others have locked. Leases use the database's clock, so that nodes
 * whose clocks differ do not take over each other's jobs. An error loses no job that has been claimed already.
 */
export async function claim(db: Db, options: ClaimOptions): Promise<Claimed[]> {
  const { except, kinds, leaseMilliseconds, limit, now } = options;
  const due = await run<DueJob>(db, FIND, [now, kinds, except, mostFound(limit)]);
  const claimed: Claimed[] = [];
  try {
    for (let next = 0; next < due.length && claimed.length < limit; ) {
      const some = due.slice(next, next + limit - claimed.length);
      next += some.length;
      for (const [orgId, jobs] of byOrg(some))
        claimed.push(...(await run<Claimed>(db, CLAIM, [orgId, jobs.map(({ id }) => id), now, leaseMilliseconds])));
    }
  } catch (error) {
    if (claimed.length === 0) throw error;
  }
  const places = new Map(due.map(({ id, org_id: orgId }, index) => [`${orgId} ${id}`, index]));
  const placeOf = ({ id, orgId }: Claimed): number => places.get(`${orgId} ${id}`) ?? due.length;
  return claimed.toSorted((one, other) => placeOf(one) - placeOf(other));
}

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
