import type { OrgId } from '../../kernel/words/ids.ts';
import { type Db, prepared } from '../../platform/postgres/index.ts';
import { type LogConnection, rowsOf } from '../relay/connections.ts';

/** The end of an org's log. The hash follows from all events up to the position. */
export interface LogEnd {
  readonly position: number;
  readonly hash: string;
}

/** The state of the primary at one moment. */
export interface Mark {
  /** The WAL that has been flushed, in bytes. Whatever the primary shows was flushed before. */
  readonly flushed: number;
  readonly timeline: number;
  readonly database: string;
  /** Whether the primary may show a change before its WAL is flushed. */
  readonly isAsynchronous: boolean;
  readonly ends: Readonly<Record<string, LogEnd>>;
}

// PostgreSQL takes the snapshot of a statement before it runs its functions, so the WAL contains what `ends` shows.
const MARK = `select (pg_current_wal_flush_lsn() - '0/0')::bigint as flushed,
  pg_walfile_name(pg_current_wal_lsn()) as "walFile", current_database() as database,
  current_setting('synchronous_commit') = 'off' as "isAsynchronous",
  coalesce((
    select json_object_agg(org_id, json_build_object('position', position, 'hash', encode(hash, 'hex')))
    from log_heads where org_id = any ($1::text[])
  ), '{}') as ends`;

const TIMELINE_DIGITS = 8;

/** Asks the primary how far its WAL goes, and where the logs of these orgs end. */
export async function readMark(db: Db, orgIds: readonly OrgId[]): Promise<Mark> {
  const [row] = await prepared<Mark & { readonly walFile: string }>(db, 'log_mark', MARK, [orgIds]);
  if (row === undefined) throw new Error('the primary gave no answer');
  return { ...row, timeline: Number.parseInt(row.walFile.slice(0, TIMELINE_DIGITS), 16) };
}

/** The state of a server that should be a replica. */
export interface Look {
  readonly isStandby: boolean;
  readonly systemIdentifier: string;
  readonly database: string;
  /** Whether the server tells the timeline. */
  readonly mayAsk: boolean;
  /** The timeline of the WAL that the server is receiving. It is null if it receives none. */
  readonly timeline: number | null;
  /** The WAL that has been replayed, in bytes. It is null on a server that never was a standby. */
  readonly replayed: number | null;
  readonly position: number | null;
  readonly hash: string | null;
}

const LOOK = `select pg_is_in_recovery() as "isStandby", current_database() as database,
  (select system_identifier::text from pg_control_system()) as "systemIdentifier",
  pg_has_role('pg_read_all_stats', 'usage') as "mayAsk",
  (select received_tli from pg_stat_wal_receiver where status = 'streaming') as timeline,
  (pg_last_wal_replay_lsn() - '0/0')::bigint as replayed, log.position, encode(log.hash, 'hex') as hash
  from (select) as server left join log_heads log on log.org_id = $1::text`;

/** Asks a replica whom it follows, how far it has come, and where the log of an org ends there. */
export async function lookAt(connection: LogConnection, orgId: OrgId | null): Promise<Look> {
  const [look] = await rowsOf<Look>(connection, LOOK, [orgId], 'log_replica_look');
  if (look === undefined) throw new Error('the replica gave no answer');
  return look;
}
