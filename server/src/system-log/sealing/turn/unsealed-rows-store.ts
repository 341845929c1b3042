import type { OrgId } from '../../../kernel/words/ids.ts';
import { type LogConnection, rowsOf } from '../../relay/connections.ts';

// Events that are not sealed are rows of two tables. The older one has another name since the relay appends to
// `log_fresh`.

export type OlderTable = 'log_events' | 'log_older';

const OLDER_TABLE = `case when to_regclass('log_events') is null then 'log_older' else 'log_events' end`;

/** Readers and the relay queue behind a lock that waits, so the sealer soon gives up and tries again later. */
const LOCK_TIMEOUT = '150ms';
/** A process that freezes or becomes unreachable while it seals loses its locks after this time. */
const LONGEST_SILENCE = '10s';

const SEALING_LOCK = `hashtextextended('log_sealing ' || $1::text, 0)`;

interface LockRow {
  readonly locked: boolean;
  readonly older: OlderTable;
}

/**
 * Tries to take the lock under which events of an org are sealed and erased, until the transaction ends. Sets timeouts
 * for the transaction. Returns the older table, or null if another transaction has the lock.
 */
export async function trySealingLock(connection: LogConnection, orgId: OrgId): Promise<OlderTable | null> {
  const [row] = await rowsOf<LockRow>(
    connection,
    `select pg_try_advisory_xact_lock(${SEALING_LOCK}) as locked, ${OLDER_TABLE} as older,
       set_config('lock_timeout', '${LOCK_TIMEOUT}', true),
       set_config('idle_in_transaction_session_timeout', '${LONGEST_SILENCE}', true)`,
    [orgId],
  );
  return row?.locked === true ? row.older : null;
}

/** Takes the lock of `trySealingLock`, and waits for it. Returns the older table. */
export async function waitForSealingLock(connection: LogConnection, orgId: OrgId): Promise<OlderTable> {
  await connection.query(`select pg_advisory_xact_lock(${SEALING_LOCK})`, [orgId]);
  const [row] = await rowsOf<Pick<LockRow, 'older'>>(connection, `select ${OLDER_TABLE} as older`);
  return row?.older ?? 'log_events';
}

/** Locks the rows at a position and at the position before it. */
export async function lockRowsAt(
  connection: LogConnection,
  orgId: OrgId,
  older: OlderTable,
  position: number,
): Promise<void> {
  const locked = (table: string): string =>
    `select position from ${table} where org_id = $1 and position between $2::bigint - 1 and $2::bigint for update`;
  await connection.query(
    `with older as (${locked(older)}), fresh as (${locked('log_fresh')})
     select (select count(*) from older) + (select count(*) from fresh) as rows`,
    [orgId, position],
  );
}
