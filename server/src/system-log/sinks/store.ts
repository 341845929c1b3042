import type { OrgId } from '../../kernel/words/ids.ts';
import { columns, type Db, prepared, type Tx } from '../../platform/postgres/index.ts';
import type { SinkKind } from './sink.ts';

export type SinkStatus = 'ACTIVE' | 'STOPPED';

export interface SinkProgress {
  /** The sink has finished with all events up to this position. */
  readonly position: number;
  /** Every event after `position` was persisted at this time or later. */
  readonly persistedAt: Date;
  /** The last position of the batch in progress. */
  readonly flightPosition: number | null;
  /** The number of attempts to send the batch in progress. */
  readonly flightAttempts: number;
  /** The maximum number of events in a batch while the target refuses larger ones. Null means the sink's own limit. */
  readonly batchLimit: number | null;
  /** The number of failed attempts since the last success, restart or move. */
  readonly failures: number;
  readonly failingSince: Date | null;
  /** Whether an event about these failures was written. */
  readonly failureTold: boolean;
  readonly nextAttemptAt: Date | null;
  readonly lastError: string | null;
  readonly lastStatus: number | null;
  readonly lastDeliveredAt: Date | null;
}

export interface StoredSink extends SinkProgress {
  readonly id: string;
  readonly kind: SinkKind;
  readonly status: SinkStatus;
  readonly fence: number;
}

export interface SinkState extends StoredSink {
  /** The last position of the org's log. */
  readonly head: number;
}

/** The fence is part of the key of updates, so a turn that has lost the fence changes nothing. */
const SINKS = columns<StoredSink, SinkProgress & Pick<StoredSink, 'id' | 'fence'>>('log_sinks', {
  id: 'key',
  fence: 'key',
  kind: 'read',
  status: 'read',
  position: 'changes',
  persistedAt: 'changes',
  flightPosition: 'changes',
  flightAttempts: 'changes',
  batchLimit: 'changes',
  failures: 'changes',
  failingSince: 'changes',
  failureTold: 'changes',
  nextAttemptAt: 'changes',
  lastError: 'changes',
  lastStatus: 'changes',
  lastDeliveredAt: 'changes',
});
const COLUMNS = SINKS.select('log_sinks');

const RESET = `status = 'ACTIVE', fence = log_sinks.fence + 1, flight_position = null, flight_attempts = 0,
  batch_limit = null, failures = 0, failing_since = null, failure_told = false, next_attempt_at = null,
  last_error = null, last_status = null`;

/** Deliveries start after `position`, or after the end of the org's log if `position` is null or beyond that end. */
export async function upsertSink(
  tx: Tx,
  orgId: OrgId,
  sink: { readonly id: string; readonly kind: SinkKind; readonly position: number | null },
): Promise<void> {
  const text = `insert into log_sinks (org_id, id, kind, status, position, persisted_at)
    select $1::text, $2::text, $3::text, 'ACTIVE', least($4::bigint, coalesce(log_heads.position, 0)),
      case when $4::bigint is null then coalesce(log_heads.persisted_at, to_timestamp(0)) else to_timestamp(0) end
    from (select 1) one left join log_heads on log_heads.org_id = $1
    on conflict on constraint log_sinks_pkey do update set
      position = excluded.position, persisted_at = excluded.persisted_at, ${RESET}`;
  await prepared(tx, 'log_sink_upsert', text, [orgId, sink.id, sink.kind, sink.position]);
}

/** Moves a sink to a place in the log and makes it active. Clears its failures and the batch in progress. */
export async function moveSink(
  tx: Tx,
  orgId: OrgId,
  id: string,
  place: { readonly position: number; readonly persistedAt: Date },
): Promise<void> {
  const text = `update log_sinks set position = $3, persisted_at = $4, ${RESET} where org_id = $1 and id = $2`;
  await prepared(tx, 'log_sink_move', text, [orgId, id, place.position, place.persistedAt]);
}

export async function setSinkStopped(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  const text = `update log_sinks set status = 'STOPPED', fence = fence + 1, next_attempt_at = null
    where org_id = $1 and id = $2`;
  await prepared(tx, 'log_sink_stop', text, [orgId, id]);
}

export async function removeSink(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  await prepared(tx, 'log_sink_delete', 'delete from log_sinks where org_id = $1 and id = $2', [orgId, id]);
}

/** Returns null if the sink was never started. */
export async function findSinkState(db: Db, orgId: OrgId, id: string): Promise<SinkState | null> {
  const text = `select ${COLUMNS}, coalesce(log_heads.position, 0) as head
    from log_sinks left join log_heads on log_heads.org_id = log_sinks.org_id
    where log_sinks.org_id = $1 and log_sinks.id = $2`;
  const [row] = await prepared<SinkState>(db, 'log_sink_state', text, [orgId, id]);
  return row ?? null;
}

export async function lockSink(tx: Tx, orgId: OrgId, id: string): Promise<StoredSink | null> {
  const text = `select ${COLUMNS} from log_sinks where org_id = $1 and id = $2 for update`;
  const [row] = await prepared<StoredSink>(tx, 'log_sink_lock', text, [orgId, id]);
  return row ?? null;
}

/** Starts a turn. Its fence makes the writes of earlier turns fail. */
export async function takeSink(db: Db, orgId: OrgId, id: string): Promise<StoredSink | null> {
  const text = `update log_sinks set fence = fence + 1 where org_id = $1 and id = $2 and status = 'ACTIVE'
    returning ${COLUMNS}`;
  const [row] = await prepared<StoredSink>(db, 'log_sink_take', text, [orgId, id]);
  return row ?? null;
}

/** This error is thrown if the turn has lost the sink. */
export class FenceLostError extends Error {}

export interface NewDelivery {
  readonly batchId: string;
  readonly firstPosition: number;
  readonly lastPosition: number;
  readonly events: number;
  readonly attempt: number;
  readonly outcome: 'DELIVERED' | 'FAILED' | 'REFUSED';
  readonly status: number | null;
  readonly reason: string | null;
  readonly attemptedAt: Date;
  readonly milliseconds: number;
}

const UPDATE = SINKS.update(({ free }) => ({
  deliveries: `deliveries + case when ${free(0)}::uuid is null then 0 else 1 end`,
}));
const { free } = UPDATE.places;
const SAVE = `with saved as (
    ${UPDATE.text} and status = 'ACTIVE' returning deliveries
  ), logged as (
    insert into log_deliveries (org_id, sink_id, number, batch_id, first_position, last_position, events, attempt,
      outcome, status, reason, attempted_at, milliseconds)
    select $1::text, $2::text, saved.deliveries, ${free(0)}::uuid, ${free(1)}::bigint, ${free(2)}::bigint,
      ${free(3)}::integer, ${free(4)}::integer, ${free(5)}::text, ${free(6)}::integer, ${free(7)}::text,
      ${free(8)}::timestamptz, ${free(9)}::integer
    from saved where ${free(0)}::uuid is not null
  )
  select deliveries from saved`;

/** When old deliveries of a sink are deleted, this many of the newest deliveries are kept. */
export const DELIVERIES_KEPT = 1_000;
/** After this many new deliveries, the oldest ones beyond DELIVERIES_KEPT are deleted. */
const DELIVERIES_BETWEEN_TRIMS = 100;

/** Writes the state of a turn, and the delivery that led to it. Throws FenceLostError if the turn has lost the sink. */
export async function saveProgress(
  db: Db,
  orgId: OrgId,
  sink: { readonly id: string; readonly fence: number },
  progress: SinkProgress,
  delivery: NewDelivery | null,
): Promise<void> {
  const [row] = await prepared<{ deliveries: number }>(db, 'log_sink_save', SAVE, [
    ...UPDATE.values(orgId, { ...progress, id: sink.id, fence: sink.fence }),
    delivery?.batchId ?? null,
    delivery?.firstPosition ?? null,
    delivery?.lastPosition ?? null,
    delivery?.events ?? null,
    delivery?.attempt ?? null,
    delivery?.outcome ?? null,
    delivery?.status ?? null,
    delivery?.reason ?? null,
    delivery?.attemptedAt ?? null,
    delivery?.milliseconds ?? null,
  ]);
  if (row === undefined) throw new FenceLostError(`the sink ${sink.id} is no longer this turn's`);
  if (delivery === null || row.deliveries % DELIVERIES_BETWEEN_TRIMS !== 0) return;
  const trim = 'delete from log_deliveries where org_id = $1 and sink_id = $2 and number <= $3';
  await prepared(db, 'log_deliveries_trim', trim, [orgId, sink.id, row.deliveries - DELIVERIES_KEPT]);
}

export interface NewDeadLetter {
  readonly firstPosition: number;
  readonly lastPosition: number;
  /** This is null for a range of events that has left the ledger. */
  readonly uuid: string | null;
  readonly eventType: string | null;
  readonly reason: string;
  readonly status: number | null;
  readonly createdAt: Date;
}

/**
 * The number of dead letters that are kept per sink. A target that refuses everything must not fill the database.
 */
export const DEAD_LETTERS_KEPT = 10_000;

export async function insertDeadLetter(tx: Tx, orgId: OrgId, sinkId: string, letter: NewDeadLetter): Promise<void> {
  const text = `with counted as (
      update log_sinks set dead_letters = dead_letters + 1 where org_id = $1 and id = $2 returning dead_letters
    ), trimmed as (
      delete from log_dead_letters where org_id = $1 and sink_id = $2
        and number <= (select dead_letters from counted) - $10::bigint
    )
    insert into log_dead_letters (org_id, sink_id, number, first_position, last_position, uuid, event_type, reason,
      status, created_at)
    select $1::text, $2::text, counted.dead_letters, $3, $4, $5, $6, $7, $8, $9 from counted`;
  await prepared(tx, 'log_dead_letter_insert', text, [
    orgId,
    sinkId,
    letter.firstPosition,
    letter.lastPosition,
    letter.uuid,
    letter.eventType,
    letter.reason,
    letter.status,
    letter.createdAt,
    DEAD_LETTERS_KEPT,
  ]);
}
