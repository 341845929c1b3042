import { type Db, run } from '../postgres/index.ts';

export interface LogBacklog {
  /** The number is exact up to 10,000. Above that, it is an estimate from the database's statistics. */
  readonly events: number;
  /** The age of the oldest waiting event, according to the database's clock; 0 if none waits. */
  readonly oldestSeconds: number;
}

/** Counts the waiting events of up to 1,000 orgs, starting after the relay's low-water id (migration 0014). */
export async function readLogBacklog(db: Db): Promise<LogBacklog> {
  const [row] = await run<{ events: number; oldest: number | null }>(
    db,
    `select waiting as events, extract(epoch from clock_timestamp() - oldest)::float8 as oldest
     from log_backlog(coalesce((select low_water from log_relay_state), 0))`,
    [],
  );
  return { events: row?.events ?? 0, oldestSeconds: Math.max(0, row?.oldest ?? 0) };
}

export interface LogPartitions {
  readonly count: number;
  /** The number of weeks that have partitions but have not begun. */
  readonly ahead: number;
  /** The time since the start of the oldest partition; 0 if there is none. */
  readonly oldestSeconds: number;
}

/** Reads the state of the System Log's partitions, by the database's clock. */
export async function readLogPartitions(db: Db): Promise<LogPartitions> {
  const [row] = await run<{ count: number; ahead: number; oldest: number | null }>(
    db,
    `select count(*) as count, count(*) filter (where first_instant > clock_timestamp()) as ahead,
       extract(epoch from clock_timestamp() - min(first_instant))::float8 as oldest
     from log_partitions()`,
    [],
  );
  return { count: row?.count ?? 0, ahead: row?.ahead ?? 0, oldestSeconds: Math.max(0, row?.oldest ?? 0) };
}

export interface OutboxRows {
  /** The number of rows that the relay deleted and vacuum has not removed yet. Each drain may have to skip them. */
  readonly dead: number;
  readonly bytes: number;
}

/** Reads the size of the outbox, and the number of its dead rows from the database's statistics. */
export async function readOutboxRows(db: Db): Promise<OutboxRows> {
  const [row] = await run<{ dead: number; bytes: number }>(
    db,
    `select sum(pg_stat_get_dead_tuples(table_id))::bigint as dead,
       sum(pg_total_relation_size(table_id))::bigint as bytes
     from unnest(array['log_inputs'::regclass, 'log_outbox'::regclass]) as outbox (table_id)`,
    [],
  );
  return { dead: row?.dead ?? 0, bytes: row?.bytes ?? 0 };
}

export interface SinksState {
  readonly active: number;
  /** The number of events by which the slowest active sink is behind the end of its org's log. */
  readonly behind: number;
  /** The longest time for which a sink has been failing; 0 if none fails. */
  readonly failingSeconds: number;
}

/** Reads the state of all orgs' active event hooks and log streams. */
export async function readSinksState(db: Db): Promise<SinksState> {
  const [row] = await run<{ active: number; behind: number | null; failing: number | null }>(
    db,
    `select count(*) as active, max(heads.position - sinks.position) as behind,
       extract(epoch from clock_timestamp() - min(sinks.failing_since))::float8 as failing
     from log_sinks sinks left join log_heads heads on heads.org_id = sinks.org_id
     where sinks.status = 'ACTIVE'`,
    [],
  );
  return {
    active: row?.active ?? 0,
    behind: Math.max(0, row?.behind ?? 0),
    failingSeconds: Math.max(0, row?.failing ?? 0),
  };
}

/** Returns the age of the oldest transaction that can keep vacuum from removing dead rows, or 0 if there is none. */
export async function readOldestSnapshotSeconds(db: Db): Promise<number> {
  const [row] = await run<{ seconds: number | null }>(
    db,
    `select max(extract(epoch from clock_timestamp() - xact_start))::float8 as seconds
     from pg_stat_activity where backend_xmin is not null and datname = current_database()`,
    [],
  );
  return Math.max(0, row?.seconds ?? 0);
}

/** Returns the highest schema version that migrations have recorded, or 0 if there is none. */
export async function readSchemaVersion(db: Db): Promise<number> {
  const [row] = await run<{ version: number | null }>(db, 'select max(version) as version from schema_migrations', []);
  return row?.version ?? 0;
}

/**
 * Makes a statement write about 800 kB of temporary data to disk by giving it less memory than it needs. On a full
 * disk, the statement fails as the next insert would. The memory setting applies only to this statement.
 */
export async function probeDisk(db: Db): Promise<void> {
  await run(
    db,
    `with small as materialized (select set_config('work_mem', '64kB', true) as memory)
     select count(*) from small, lateral generate_series(1, 40000 + 0 * length(small.memory))`,
    [],
  );
}
