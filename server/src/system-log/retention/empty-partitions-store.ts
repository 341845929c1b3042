import { type LogConnection, rowsOf } from '../relay/connections.ts';
import { LONGEST_LOOK, type Partition, quoted } from './retention-store.ts';

/** Tests whether the relay appends to `log_fresh`, so that no partition ever gets another row (ADR 0081). */
export async function areFinal(connection: LogConnection): Promise<boolean> {
  const [row] = await rowsOf<{ areFinal: boolean }>(
    connection,
    `select to_regclass('log_events') is null as "areFinal"`,
  );
  return row?.areFinal === true;
}

/** Limits the statements of a transaction that may have to step over many deleted rows. */
export async function limitLooks(connection: LogConnection): Promise<boolean> {
  await connection.query(`select set_config('statement_timeout', '${LONGEST_LOOK}', true)`);
  return true;
}

/**
 * Tests whether a partition has no row. The primary key leads past deleted rows that vacuum has not removed, but each
 * of them is visited, so this can take long.
 */
export async function isEmpty(connection: LogConnection, partition: Partition): Promise<boolean> {
  const rows = await rowsOf(
    connection,
    `select 1 from ${quoted(partition.name)} order by org_id, position, persisted_at limit 1`,
  );
  return rows.length === 0;
}

/** Returns the id of the next transaction. Whatever has been committed by now has a lower one. */
export async function readNextTransaction(connection: LogConnection): Promise<string> {
  const [row] = await rowsOf<{ next: string }>(
    connection,
    'select pg_snapshot_xmax(pg_current_snapshot())::xid::text as next',
  );
  if (row === undefined) throw new Error('the database did not name its next transaction');
  return row.next;
}

/** Tests whether a statement of another connection may not see everything that transactions with lower ids did. */
export async function isOlderSnapshotLeft(connection: LogConnection, transaction: string): Promise<boolean> {
  const rows = await rowsOf(
    connection,
    `select 1 from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and age(backend_xmin) > age($1::text::xid) limit 1`,
    [transaction],
  );
  return rows.length > 0;
}
