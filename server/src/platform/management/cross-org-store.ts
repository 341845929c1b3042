import { type Db, run } from '../postgres/index.ts';

const MOST_COUNTED = 100_000;

export interface LogBacklog {
  /** Counted up to 100,000. */
  readonly events: number;
  /** Age of the event that waits longest; 0 when none waits. */
  readonly oldestSeconds: number;
}

/** What waits in the outboxes of all orgs. */
export async function readLogBacklog(db: Db): Promise<LogBacklog> {
  const [row] = await run<{ events: number; oldest: number | null }>(
    db,
    `select count(*) as events, extract(epoch from clock_timestamp() - min(published))::float8 as oldest
     from (select published from log_outbox limit $1::integer) as waiting`,
    [MOST_COUNTED],
  );
  return { events: row?.events ?? 0, oldestSeconds: Math.max(0, row?.oldest ?? 0) };
}

/** Age of the oldest snapshot that holds back cleaning up behind the queue; 0 when there is none. */
export async function readOldestSnapshotSeconds(db: Db): Promise<number> {
  const [row] = await run<{ seconds: number | null }>(
    db,
    `select max(extract(epoch from clock_timestamp() - xact_start))::float8 as seconds
     from pg_stat_activity where backend_xmin is not null and datname = current_database()`,
    [],
  );
  return Math.max(0, row?.seconds ?? 0);
}

/** Version of the schema as migrations noted it; 0 before the first. */
export async function readSchemaVersion(db: Db): Promise<number> {
  const [row] = await run<{ version: number | null }>(db, 'select max(version) as version from schema_migrations', []);
  return row?.version ?? 0;
}
