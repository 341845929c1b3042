import { type Db, run } from '../postgres/index.ts';
import { OLDEST_EVENT_FACT } from './oldest-event.ts';

export interface LogBacklog {
  /**
   * The number is exact up to 10,000 events in at most 1,000 orgs. Above 10,000 events, it is an estimate from the
   * database's statistics.
   */
  readonly events: number;
  /** The age of the oldest waiting event, according to the database's clock; 0 if none waits. */
  readonly oldestSeconds: number;
}

/** Reads the backlog after the relay's low-water id (migration 0048). */
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
  /** The number of partitions made ahead. It is null if none is needed, because the relay appends to `log_fresh`. */
  readonly ahead: number | null;
  /** The age of the oldest week or, if that is older, of the oldest event that the last whole run of retention left. */
  readonly oldestSeconds: number;
}

export async function readLogPartitions(db: Db): Promise<LogPartitions> {
  const [row] = await run<{ count: number; ahead: number | null; oldest: number | null }>(
    db,
    `select count(*) as count,
       case when to_regclass('log_events') is not null
         then count(*) filter (where first_instant > clock_timestamp()) end as ahead,
       extract(epoch from clock_timestamp() - least(min(first_instant),
         (select value::timestamptz from installation where name = $1)))::float8 as oldest
     from log_weeks()`,
    [OLDEST_EVENT_FACT],
  );
  const ahead = row === undefined ? 0 : row.ahead;
  return { count: row?.count ?? 0, ahead, oldestSeconds: Math.max(0, row?.oldest ?? 0) };
}

export interface OutboxRows {
  /** The number of rows that the relay deleted and vacuum has not removed yet. Each drain may have to skip them. */
  readonly dead: number;
  readonly bytes: number;
}

/** The number of dead rows comes from the database's statistics. */
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
  readonly behind: number;
  /** The longest time for which an active sink has been failing; 0 if none fails. */
  readonly failingSeconds: number;
}

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

/** Returns the age of the oldest transaction with a snapshot, which can keep vacuum from removing dead rows. */
export async function readOldestSnapshotSeconds(db: Db): Promise<number> {
  const [row] = await run<{ seconds: number | null }>(
    db,
    `select max(extract(epoch from clock_timestamp() - xact_start))::float8 as seconds
     from pg_stat_activity where backend_xmin is not null and datname = current_database()`,
    [],
  );
  return Math.max(0, row?.seconds ?? 0);
}

export interface StandbyLag {
  /** The name under which the standby connects (`application_name`). */
  readonly name: string;
  /** `sync` or `quorum` if commits wait for the standby, otherwise `potential` or `async`. */
  readonly sync: string;
  /** The changes that the standby has not written to disk yet, in bytes of WAL. */
  readonly bytes: number;
}

/** Returns an empty list unless the database's role may read all statistics (`pg_monitor`). */
export function readStandbyLags(db: Db): Promise<readonly StandbyLag[]> {
  return run<StandbyLag>(
    db,
    `select application_name as name, sync_state as sync,
       greatest(max(pg_wal_lsn_diff(pg_current_wal_flush_lsn(), flush_lsn)), 0)::float8 as bytes
     from pg_stat_replication where flush_lsn is not null group by 1, 2`,
    [],
  );
}

export async function readSchemaVersion(db: Db): Promise<number> {
  const [row] = await run<{ version: number | null }>(db, 'select max(version) as version from schema_migrations', []);
  return row?.version ?? 0;
}

/** Returns the versions of the migrations that have been applied, in ascending order. */
export async function readAppliedVersions(db: Db): Promise<readonly number[]> {
  const rows = await run<{ version: number }>(db, 'select version from schema_migrations order by version', []);
  return rows.map(({ version }) => version);
}

/**
 * Makes a statement write temporary data to disk by giving it less memory than it needs. On a full disk, the statement
 * fails as the next insert would.
 */
export async function probeDisk(db: Db): Promise<void> {
  await run(
    db,
    `with small as materialized (select set_config('work_mem', '64kB', true) as memory)
     select count(*) from small, lateral generate_series(1, 40000 + 0 * length(small.memory))`,
    [],
  );
}

/**
 * If commits wait for standbys, commits something that changes no table. PostgreSQL's statement timeout ends only the
 * commit of a block.
 */
export async function commitNothing(db: Db): Promise<void> {
  await run(
    db,
    `do $$ begin
       if current_setting('synchronous_standby_names') <> '' then
         perform pg_logical_emit_message(true, 'gatehouse', '');
         commit;
       end if;
     end $$`,
    [],
  );
}
