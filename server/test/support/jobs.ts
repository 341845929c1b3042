import type pg from 'pg';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { toOrgId } from '../../src/kernel/words/ids.ts';
import {
  createJobRunner,
  enqueue,
  type JobKind,
  type JobReport,
  type JobRunner,
} from '../../src/platform/jobs/index.ts';
import type { Db } from '../../src/platform/postgres/index.ts';
import { openTestDatabase, type TestDatabase } from './database.ts';
import { testClock } from './system-log.ts';

const orgId = toOrgId('00oacme0000000000abc');

export interface StoredJob {
  readonly org_id: string;
  readonly kind: string;
  readonly payload: unknown;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly lease_until: Date | null;
  readonly due: string;
}

/** Provides a job queue that is emptied before each test. Its runners use a clock that stands still. */
export function useJobs() {
  const clock = testClock();
  let database: TestDatabase;
  const pool = (): pg.Pool => database.pool;
  const db = (): Db => database.db;

  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    clock.set('2026-11-20T12:00:00.000Z');
    await pool().query('delete from jobs');
  });

  const later = (seconds: number) => new Date(clock.now().getTime() + seconds * 1_000);

  async function storedJobs(): Promise<StoredJob[]> {
    const { rows } = await pool().query<StoredJob>(
      'select org_id, kind, payload, attempts, last_error, lease_until, run_at::text as due from jobs order by id',
    );
    return rows;
  }

  function runnerOf(
    kinds: Record<string, JobKind | JobKind['run']>,
    options: { concurrency?: number; leaseMilliseconds?: number; slowMilliseconds?: number } = {},
  ): { runner: JobRunner; reports: JobReport[] } {
    const reports: JobReport[] = [];
    const runner = createJobRunner({
      db: db(),
      clock,
      kinds: Object.fromEntries(
        Object.entries(kinds).map(([name, kind]) => [name, typeof kind === 'function' ? { run: kind } : kind]),
      ),
      graceMilliseconds: 50,
      onFinished: (report) => reports.push(report),
      ...options,
    });
    return { runner, reports };
  }

  const add = (kind: string, payload: Record<string, unknown> = {}, dedupeKey?: string, runAt = clock.now()) =>
    enqueue(db(), orgId, { kind, payload, runAt, ...(dedupeKey === undefined ? {} : { dedupeKey }) });

  return { add, clock, db, later, orgId, otherOrgId: toOrgId('00oother000000000xyz'), pool, runnerOf, storedJobs };
}
