import type { OrgId } from '../../kernel/words/ids.ts';
import type { LockedHead } from '../outbox/input-store.ts';
import type { LedgerBatch } from '../rendering/ledger-batch.ts';
import { type LogConnection, rowsOf } from './connections.ts';
import type { LedgerTable } from './relay-store.ts';

// The head is moved only from the position at which the batch continues the chain. This is a second safeguard, because
// the transaction has locked the head since it took the events.
const appendTo = (table: LedgerTable): string => `with written as (
    insert into ${table} (org_id, position, persisted_at, uuid, published, event_type, severity, actor_id, target_ids,
      outcome_result, client_ip_address, transaction_id, tokens, salt, digest, hash, body)
    select $1::text, $2::bigint + e.number, e.persisted_at, e.uuid, e.published, e.event_type, e.severity, e.actor_id,
      e.target_ids::text[], e.outcome_result, e.client_ip_address, e.transaction_id,
      ($3::integer[])[coalesce(($4::integer[])[e.number::integer - 1], 0) + 1 : ($4::integer[])[e.number::integer]],
      substring($5::bytea from (32 * e.number - 31)::integer for 32),
      substring($6::bytea from (32 * e.number - 31)::integer for 32),
      substring($7::bytea from (32 * e.number - 31)::integer for 32), e.body
    from unnest($8::timestamptz[], $9::uuid[], $10::timestamptz[], $11::text[], $12::text[], $13::text[], $14::text[],
      $15::text[], $16::text[], $17::text[], $18::text[])
      with ordinality as e (persisted_at, uuid, published, event_type, severity, actor_id, target_ids, outcome_result,
      client_ip_address, transaction_id, body, number)
  ), moved as (
    update log_heads set position = $19::bigint, hash = $20::bytea, persisted_at = $21::timestamptz
    where org_id = $1::text and position = $2::bigint
    returning position
  )
  select (select count(*) from moved)::integer as moved,
    (extract(epoch from clock_timestamp() - $22::timestamptz) * 1000)::float8 as lag`;

/** A connection may outlive the switch, and a prepared statement's name stands for one text. */
const APPENDS = {
  log_events: { name: 'relay_append', text: appendTo('log_events') },
  log_fresh: { name: 'relay_append_fresh', text: appendTo('log_fresh') },
} as const satisfies Readonly<Record<LedgerTable, unknown>>;

/**
 * Appends a rendered batch to an org's chain and moves the head. `queuedAt` is when the batch's oldest event began to
 * wait. Returns the age of that event, in milliseconds, or null if another relay has moved the head.
 */
export async function appendBatch(
  connection: LogConnection,
  table: LedgerTable,
  orgId: OrgId,
  from: LockedHead,
  batch: LedgerBatch,
  queuedAt: string,
): Promise<number | null> {
  const [row] = await rowsOf<{ moved: number; lag: number }>(
    connection,
    APPENDS[table].text,
    [
      orgId,
      from.position,
      batch.tokens,
      batch.tokenEnds,
      batch.salts,
      batch.digests,
      batch.hashes,
      batch.persistedAt,
      batch.uuids,
      batch.published,
      batch.eventTypes,
      batch.severities,
      batch.actorIds,
      batch.targetIds,
      batch.outcomeResults,
      batch.clientIpAddresses,
      batch.transactionIds,
      batch.bodies,
      batch.head.position,
      batch.head.hash,
      batch.head.persistedAt.toISOString(),
      queuedAt,
    ],
    APPENDS[table].name,
  );
  return row === undefined || row.moved !== 1 ? null : Math.max(0, row.lag);
}
