import type { OrgId } from '../../kernel/words/ids.ts';
import { type Db, run, type Tx } from '../postgres/index.ts';
import type { NewJob } from './job.ts';

/** A process whose lease has passed to another process can no longer change the job. */
export interface Lease {
  readonly orgId: OrgId;
  readonly id: number;
  readonly until: Date;
  readonly attempt: number;
}

/**
 * Adds a job in the transaction of the change that needs it. If a job with the same dedupe key is waiting, that job
 * is updated. If such a job is running, it runs once more, because it may have missed this change. A new job gets a
 * lease that has ended already: the comparison needs the time of the database, and Citus takes it only from there.
 */
export async function enqueue(tx: Tx, orgId: OrgId, job: NewJob): Promise<void> {
  await run(
    tx,
    `insert into jobs (org_id, kind, payload, dedupe_key, run_at, lease_until)
     values ($1, $2, $3::jsonb, $4, $5, clock_timestamp())
     on conflict on constraint jobs_dedupe_key do update set
       payload = excluded.payload, attempts = 0, last_error = null,
       run_at = case when jobs.lease_until > excluded.lease_until then excluded.run_at
                else least(jobs.run_at, excluded.run_at) end`,
    [orgId, job.kind, JSON.stringify(job.payload), job.dedupeKey ?? null, job.runAt],
  );
}

/**
 * Removes a job in the transaction of the change that makes it unnecessary. A run in progress is told to stop the next
 * time it renews its lease.
 */
export async function forget(
  tx: Tx,
  orgId: OrgId,
  job: { readonly kind: string; readonly dedupeKey: string },
): Promise<void> {
  const text = 'delete from jobs where org_id = $1 and kind = $2 and dedupe_key = $3';
  await run(tx, text, [orgId, job.kind, job.dedupeKey]);
}

/**
 * Makes sure that a recurring job exists. An existing job keeps its time, unless that time is after `latest` because a
 * clock was ahead.
 */
export async function schedule(
  db: Db,
  orgId: OrgId,
  kind: string,
  { latest, runAt }: { readonly runAt: Date; readonly latest: Date },
): Promise<void> {
  await run(
    db,
    `insert into jobs (org_id, kind, dedupe_key, run_at) values ($1, $2, 'recurring', $3)
     on conflict on constraint jobs_dedupe_key do update set run_at = excluded.run_at where jobs.run_at > $4`,
    [orgId, kind, runAt, latest],
  );
}

/** Returns an item of a `from` clause that contains the end of a lease, by the database's clock (see `CLOCK`). */
export const leaseEnd = (milliseconds: string): string =>
  `(select date_trunc('milliseconds', clock_timestamp() + make_interval(secs => ${milliseconds}::float8 / 1000))
    as until) as lease`;

/** Returns null if the lease was lost. */
export async function renew(db: Db, lease: Lease, milliseconds: number): Promise<Lease | null> {
  const [row] = await run<{ lease_until: Date }>(
    db,
    `update jobs
     set lease_until = lease.until from ${leaseEnd('$4')}
     where org_id = $1 and id = $2 and lease_until = $3 returning lease_until`,
    [lease.orgId, lease.id, lease.until, milliseconds],
  );
  return row === undefined ? null : { ...lease, until: row.lease_until };
}

/** Removes a finished job. If the job was requested again while it ran, only its lease ends. */
export async function complete(db: Db, lease: Lease): Promise<void> {
  const gone = await run(
    db,
    'delete from jobs where org_id = $1 and id = $2 and lease_until = $3 and attempts = $4 returning id',
    [lease.orgId, lease.id, lease.until, lease.attempt],
  );
  if (gone.length > 0) return;
  await run(db, 'update jobs set lease_until = null where org_id = $1 and id = $2 and lease_until = $3', [
    lease.orgId,
    lease.id,
    lease.until,
  ]);
}

/**
 * Ends the lease of a job so that it runs again at a given time. `never` means that the job is dead: it is kept with
 * its error, and claims do not scan it. `fresh` resets the attempts. If the job was requested again while it ran, it
 * keeps the requested time, unless `whatever` is set.
 */
export async function postpone(
  db: Db,
  lease: Lease,
  next: { runAt: Date | 'never'; error: string | null; fresh: boolean; whatever?: boolean },
): Promise<void> {
  await run(
    db,
    `update jobs set lease_until = null, last_error = coalesce($6, last_error),
       run_at = case when attempts = $4 or $8::boolean then $5::timestamptz else run_at end,
       attempts = case when $7 then 0 else attempts end
     where org_id = $1 and id = $2 and lease_until = $3`,
    [
      lease.orgId,
      lease.id,
      lease.until,
      lease.attempt,
      next.runAt === 'never' ? 'infinity' : next.runAt.toISOString(),
      next.error,
      next.fresh,
      next.whatever ?? false,
    ],
  );
}
