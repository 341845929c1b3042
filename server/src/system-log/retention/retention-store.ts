import type { OrgId } from '../../kernel/words/ids.ts';
import { OLDEST_EVENT_FACT } from '../../platform/operations/oldest-event.ts';
import { type LogConnection, rowsOf } from '../relay/connections.ts';
import type { ChainPlace } from '../relay/ledger-store.ts';
import type { RetentionClock } from './retention-clock.ts';

/** The lock that lets only one process drop events at a time, even if the job's lease was lost. */
const RETENTION_LOCK = '7449355575226105205';

/** A drop that waits this long for the table is retried later, because readers and the relay wait behind it. */
const LOCK_TIMEOUT = '150ms';

/** The longest time of a statement that looks for rows in a partition. Vacuum makes the next look shorter. */
export const LONGEST_LOOK = '1s';

/** The form of a partition's name. The names are inserted into statements, so no other string may pass. */
const PARTITION_NAME = /^log_events_\d{8}$/;

/** A table that contains events as rows. */
export interface RowTable {
  readonly name: string;
}

/** The fresh end of the log, which has no partitions. */
export const FRESH_ROWS: RowTable = { name: 'log_fresh' };

export interface Partition extends RowTable {
  readonly first: Date;
  /** The partition ends before this time. */
  readonly last: Date;
}

export interface OrgEnd extends ChainPlace {
  readonly orgId: OrgId;
  /** The org's window in days. It is null if the org was deleted. */
  readonly days: number | null;
}

/** The signed statement that stands for an org's events up to this position, which leave the ledger. */
export interface Anchor extends ChainPlace {
  readonly orgId: OrgId;
  readonly signed: string;
}

export const quoted = (name: string): string => {
  if (name !== FRESH_ROWS.name && !PARTITION_NAME.test(name)) throw new Error(`${name} is no table of the log`);
  return `"${name}"`;
};

/** Partitions that somebody else attached under another name are ignored. */
export async function findPartitions(connection: LogConnection): Promise<Partition[]> {
  const rows = await rowsOf<Partition>(
    connection,
    'select name, first_instant as first, last_instant as last from log_weeks() order by first_instant',
  );
  return rows.filter(({ name }) => PARTITION_NAME.test(name));
}

/** Returns the longest window of any org, in days. It is at least 90. */
export async function findLongestWindow(connection: LogConnection): Promise<number> {
  const [row] = await rowsOf<{ days: number }>(
    connection,
    `select greatest(90, (select log_retention_days(settings) from orgs where log_retention_days(settings) > 90
       order by log_retention_days(settings) desc limit 1)) as days`,
  );
  return row?.days ?? 90;
}

/**
 * Cross-org: finds the last event in a partition for each of up to `count` orgs, in order of org id, starting after
 * `afterOrgId`.
 */
export async function findOrgEnds(
  connection: LogConnection,
  partition: Partition,
  afterOrgId: string,
  count: number,
): Promise<OrgEnd[]> {
  const table = quoted(partition.name);
  const rows = await rowsOf<Omit<OrgEnd, 'position'> & { position: string | number }>(
    connection,
    `with recursive owner (org_id, ordinal) as (
      (select org_id, 1 from ${table} where org_id > $1 order by org_id limit 1)
      union all
      select (select next.org_id from ${table} next where next.org_id > owner.org_id order by next.org_id limit 1),
        ordinal + 1
      from owner where org_id is not null and ordinal < $2::integer
    )
    select owner.org_id as "orgId", case when orgs.id is not null then log_retention_days(orgs.settings) end as days,
      ending.position, ending.hash
    from owner left join orgs on orgs.id = owner.org_id
      cross join lateral (
        select position, hash from ${table} part where part.org_id = owner.org_id order by position desc limit 1
      ) ending
    order by owner.org_id`,
    [afterOrgId, count],
  );
  return rows.map((row) => ({ ...row, position: Number(row.position) }));
}

/**
 * Finds the last of the first `count` events that an org has in a table and that were persisted before the given time.
 */
export async function findPrefixEnd(
  connection: LogConnection,
  orgId: OrgId,
  table: RowTable,
  before: Date,
  count: number,
): Promise<ChainPlace | null> {
  const [row] = await rowsOf<{ position: string | number; hash: Buffer }>(
    connection,
    `select position, hash from (
       select position, hash from ${quoted(table.name)}
       where org_id = $1 and persisted_at < $2::timestamptz order by position limit $3::integer
     ) prefix order by position desc limit 1`,
    [orgId, before.toISOString(), count],
  );
  return row === undefined ? null : { position: Number(row.position), hash: row.hash };
}

/** Tries to take the retention lock, and sets timeouts for the transaction. */
export async function tryRetentionLock(connection: LogConnection): Promise<boolean> {
  const [row] = await rowsOf<{ locked: boolean }>(
    connection,
    `select pg_try_advisory_xact_lock($1) as locked, set_config('lock_timeout', '${LOCK_TIMEOUT}', true),
       set_config('idle_in_transaction_session_timeout', '10s', true)`,
    [RETENTION_LOCK],
  );
  return row?.locked === true;
}

/**
 * Closes a partition to writers until the transaction ends. It can still be read. Sealing waits for the lock, so the
 * other statements of the transaction have to be short.
 */
export async function closePartition(connection: LogConnection, partition: Partition): Promise<void> {
  await connection.query(`select set_config('statement_timeout', '${LONGEST_LOOK}', true)`);
  await connection.query(`lock table ${quoted(partition.name)} in share mode`);
}

export async function insertAnchors(
  connection: LogConnection,
  anchors: readonly Anchor[],
  createdAt: Date,
): Promise<void> {
  await connection.query(
    `insert into log_anchors (org_id, position, hash, signed, created_at)
     select org_id, position, hash, signed, $5::timestamptz
     from unnest($1::text[], $2::bigint[], $3::bytea[], $4::text[]) as anchor (org_id, position, hash, signed)
     on conflict (org_id, position) do nothing`,
    [
      anchors.map(({ orgId }) => orgId),
      anchors.map(({ position }) => position),
      anchors.map(({ hash }) => hash),
      anchors.map(({ signed }) => signed),
      createdAt.toISOString(),
    ],
  );
}

/** Drops a partition. This takes an ACCESS EXCLUSIVE lock on the ledger, so that readers wait too. */
export async function dropPartition(connection: LogConnection, partition: Partition): Promise<void> {
  await connection.query(`drop table ${quoted(partition.name)}`);
}

/**
 * Deletes an org's events in a table up to the position `upTo` that were persisted before the given time. `hash` is
 * the hash of the event at that position, or null if that event was not deleted.
 */
export async function deletePrefix(
  connection: LogConnection,
  orgId: OrgId,
  table: RowTable,
  upTo: number,
  before: Date,
): Promise<{ readonly events: number; readonly hash: Buffer | null }> {
  const [row] = await rowsOf<{ events: string | number; hash: Buffer | null }>(
    connection,
    `with gone as (
       delete from ${quoted(table.name)}
       where org_id = $1 and position <= $2::bigint and persisted_at < $3::timestamptz returning position, hash
     )
     select count(*) as events, (select hash from gone where position = $2::bigint) as hash from gone`,
    [orgId, upTo, before.toISOString()],
  );
  return { events: Number(row?.events ?? 0), hash: row?.hash ?? null };
}

/** Returns the number of days of an org's window, which does not change before the transaction ends. */
export async function lockWindow(connection: LogConnection, orgId: OrgId): Promise<number | null> {
  const text = 'select log_retention_days(settings) as days from orgs where id = $1 for share';
  const [row] = await rowsOf<{ days: number }>(connection, text, [orgId]);
  return row?.days ?? null;
}

/** Stores when the oldest event that is left was persisted. */
export async function noteOldestEvent(connection: LogConnection, persistedAt: Date): Promise<void> {
  await connection.query(
    `insert into installation (name, value) values ($1, $2)
     on conflict (name) do update set value = excluded.value`,
    [OLDEST_EVENT_FACT, persistedAt.toISOString()],
  );
}

/** Stores a first time before the first run, which grows older until a run looks at every org. */
export async function noteFirstRun(connection: LogConnection): Promise<void> {
  await connection.query(
    `insert into installation (name, value)
     values ($1, to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
     on conflict (name) do nothing`,
    [OLDEST_EVENT_FACT],
  );
}

const CLOCK_FACT = 'log_retention_clock';

/** Reads the clock that the previous run stored, and the current time of the database. */
export async function readRetentionClock(
  connection: LogConnection,
): Promise<{ readonly clock: RetentionClock | null; readonly databaseNow: Date }> {
  const [row] = await rowsOf<{ value: string | null; now: Date }>(
    connection,
    'select (select value from installation where name = $1) as value, clock_timestamp() as now',
    [CLOCK_FACT],
  );
  if (row === undefined) throw new Error('the database did not tell its time');
  const noted = JSON.parse(row.value ?? 'null') as { seenAt: string; trustedFrom: string } | null;
  const clock = noted && { seenAt: new Date(noted.seenAt), trustedFrom: new Date(noted.trustedFrom) };
  return { clock, databaseNow: row.now };
}

export async function noteRetentionClock(connection: LogConnection, clock: RetentionClock): Promise<void> {
  await connection.query(
    `insert into installation (name, value) values ($1, $2)
     on conflict (name) do update set value = excluded.value`,
    [CLOCK_FACT, JSON.stringify(clock)],
  );
}
