import { type ConnectionSettings, type Db, openClient, run } from '../platform/postgres/index.ts';

/** The key of the advisory lock, which must be the same in all processes of all versions. */
const FIRST_START_LOCK = '7449355585040643700';

/** Runs `work` while no other process performs a first start. The lock ends with its connection, even after a kill. */
export async function withFirstStartLock<Result>(
  connection: ConnectionSettings,
  work: () => Promise<Result>,
): Promise<Result> {
  const client = await openClient(connection, { application_name: 'gatehouse-first-start' });
  try {
    await client.query('select pg_advisory_lock($1)', [FIRST_START_LOCK]);
    return await work();
  } finally {
    await client.end().catch(() => undefined);
  }
}

export interface ServerFacts {
  /** PostgreSQL's version as a number: 150004 means 15.4. */
  readonly version: number;
  readonly maximumConnections: number;
}

/** Reads the version and connection limit over a separate connection. */
export async function readServerFacts(connection: ConnectionSettings): Promise<ServerFacts> {
  const client = await openClient(connection, {
    application_name: 'gatehouse-check',
    connectionTimeoutMillis: 10_000,
    query_timeout: 10_000,
  });
  try {
    const { rows } = await client.query<{ version: string; connections: string }>(
      `select current_setting('server_version_num') as version, current_setting('max_connections') as connections`,
    );
    return { version: Number(rows[0]?.version), maximumConnections: Number(rows[0]?.connections) };
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Returns how far the database's clock is ahead of ours, corrected by half the round trip. */
export async function readClockDifferenceMilliseconds(db: Db): Promise<number> {
  const before = Date.now();
  const [row] = await run<{ now: Date }>(db, 'select clock_timestamp() as now', []);
  return row === undefined ? 0 : row.now.getTime() - (before + Date.now()) / 2;
}

/**
 * Returns the number of whole days, counted from now, for which the System Log already has partitions. Returns null if
 * it needs none, because the relay appends to `log_fresh` (ADR 0081).
 */
export async function readPartitionedDays(db: Db): Promise<number | null> {
  const [row] = await run<{ last: string | null; isPartitioned: boolean }>(
    db,
    `select max(child.relname) as last, to_regclass('log_events') is not null as "isPartitioned" from pg_inherits
     join pg_class as child on child.oid = inhrelid
     where inhparent = to_regclass('log_events') and child.relname ~ '^log_events_[0-9]{8}$'`,
    [],
  );
  if (row?.isPartitioned === false) return null;
  const week = /(\d{4})(\d{2})(\d{2})$/.exec(row?.last ?? '');
  if (week === null) return 0;
  const end = Date.UTC(Number(week[1]), Number(week[2]) - 1, Number(week[3])) + 7 * 86_400_000;
  return Math.max(0, Math.floor((end - Date.now()) / 86_400_000));
}

/** Counts the hooks and log streams without an owner, across all orgs. */
export async function countOwnerless(db: Db): Promise<{ readonly hooks: number; readonly streams: number }> {
  const [row] = await run<{ hooks: number; streams: number }>(
    db,
    `select (select count(*) from event_hooks where owner_id is null)::int as hooks,
       (select count(*) from log_streams where owner_id is null)::int as streams`,
    [],
  );
  return row ?? { hooks: 0, streams: 0 };
}
