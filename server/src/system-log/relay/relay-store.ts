import type { OrgId } from '../../kernel/words/ids.ts';
import { type LogConnection, rowsOf } from './connections.ts';

/** The advisory lock that a drain takes. */
const RELAY_LOCK = '7449355575226105204';

/** A process that freezes or becomes unreachable during a drain loses the lock after this time. */
const LONGEST_SILENCE = '10s';

/** PostgreSQL cancels a statement that takes longer, and the drain rolls back. */
const LONGEST_STATEMENT = '5s';

/**
 * The table to which the relay appends: `log_events` until a deferred migration gives that table another name, and
 * `log_fresh` from then on (ADR 0081).
 */
export type LedgerTable = 'log_events' | 'log_fresh';

/** This SQL expression is the name of the table to which the relay appends now. */
export const LEDGER_TABLE = `case when to_regclass('log_events') is null then 'log_fresh' else 'log_events' end`;

export interface WaitingOrg {
  readonly orgId: OrgId;
  readonly hasHead: boolean;
  /** No event of an existing org waits with this id or a lower one. Drains start after this id. */
  readonly lowWater: number;
}

/** A measurement of the events that wait for the relay, in all orgs together. */
export interface Backlog {
  /** The number of events. A large number is an estimate from the database's statistics. */
  readonly events: number;
  /** The age of the oldest waiting event, by the database's clock. It is 0 if no event waits. */
  readonly seconds: number;
}

/** Cross-org: measures the backlog and advances the low-water id. Frequent calls return the last measurement. */
export async function measureBacklog(connection: LogConnection): Promise<Backlog> {
  const [row] = await rowsOf<{ waiting: number | string; seconds: number }>(
    connection,
    `select waiting, coalesce(greatest(extract(epoch from clock_timestamp() - oldest), 0), 0)::float8 as seconds
     from log_relay_measure()`,
    [],
    'relay_measure',
  );
  return { events: Number(row?.waiting ?? 0), seconds: row?.seconds ?? 0 };
}

/**
 * Cross-org: finds up to `count` orgs with waiting events, in order of id, starting after `afterOrgId`. The query reads
 * only events with ids above the low-water id, and thus not the many drained rows that an old snapshot keeps.
 */
export async function findWaitingOrgs(
  connection: LogConnection,
  afterOrgId: string,
  count: number,
): Promise<readonly WaitingOrg[]> {
  const rows = await rowsOf<Omit<WaitingOrg, 'lowWater'> & { lowWater: string | number }>(
    connection,
    `select org_id as "orgId", has_head as "hasHead", low_water as "lowWater" from log_waiting_orgs($1, $2)`,
    [afterOrgId, count],
    'relay_find_waiting',
  );
  return rows.map((row) => ({ ...row, lowWater: Number(row.lowWater) }));
}

/**
 * Tries to take the relay lock. The lock is held until the transaction ends. Also sets timeouts for the transaction and
 * makes it read the outbox along its key, because the statistics of a queue are out of date. Returns the table to which
 * the relay appends, or null if another process has the lock.
 */
export async function tryRelayLock(connection: LogConnection): Promise<LedgerTable | null> {
  const [row] = await rowsOf<{ locked: boolean; table: LedgerTable }>(
    connection,
    `select pg_try_advisory_xact_lock($1) as locked, ${LEDGER_TABLE} as table,
       set_config('idle_in_transaction_session_timeout', '${LONGEST_SILENCE}', true),
       set_config('statement_timeout', '${LONGEST_STATEMENT}', true),
       set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`,
    [RELAY_LOCK],
    'relay_lock',
  );
  return row?.locked === true ? row.table : null;
}

export async function createHead(connection: LogConnection, orgId: OrgId): Promise<void> {
  await connection.query('insert into log_heads (org_id) values ($1) on conflict (org_id) do nothing', [orgId]);
}

const madeOf = (rows: readonly { readonly made: number }[]): number => rows[0]?.made ?? 0;

/**
 * Creates the missing partitions for this week, for the weeks ahead, and for the latest head, which a fast clock may
 * have moved further ahead. Does not read waiting events, because an import may leave very many of them.
 */
export async function ensurePartitions(connection: LogConnection, now: Date, weeksAhead: number): Promise<number> {
  return madeOf(
    await rowsOf<{ made: number }>(
      connection,
      `select log_ensure_partitions($1::timestamptz, $1::timestamptz + $2::integer * interval '7 days')
        + coalesce((
          select log_ensure_partitions(latest, latest) from (select max(persisted_at) as latest from log_heads) heads
          where latest > $1::timestamptz
        ), 0)::integer as made`,
      [now.toISOString(), weeksAhead],
    ),
  );
}

/**
 * Creates the partition for the latest event of an org's next batch. It can be missing if the clock of the process that
 * wrote the event is ahead.
 */
export async function ensurePartitionsOfBatch(connection: LogConnection, orgId: OrgId, limit: number): Promise<number> {
  return madeOf(
    await rowsOf<{ made: number }>(
      connection,
      `select coalesce((
        select log_ensure_partitions(latest, latest) from (
          select max(published) as latest from (
            (select published from log_inputs where org_id = $1 order by id limit $2::integer)
            union all (select published from log_outbox where org_id = $1 order by id limit $2::integer)
          ) batch
        ) published where latest is not null
      ), 0)::integer as made`,
      [orgId, limit],
    ),
  );
}
