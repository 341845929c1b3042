import type { OrgId } from '../../kernel/words/ids.ts';
import { CHAIN_LABEL } from '../rendering/digest.ts';
import { type LogConnection, rowsOf } from './connections.ts';
import type { LedgerTable } from './relay-store.ts';

export interface OrgDrain {
  readonly events: number;
  /** The longest time that any of the events waited, by the database's clock. It is never negative. */
  readonly lagMilliseconds: number;
}

const CARRIED_COLUMNS =
  'uuid, published, event_type, severity, actor_id, target_ids, outcome_result, client_ip_address, transaction_id, ' +
  'tokens, salt, digest, body';

// One statement drains one org, up to the first event that waits as an input. It reads and writes only the org's rows,
// and bodies never leave PostgreSQL. It joins events only to single rows and does not contain `in (select ...)`, which
// is a join as well. After a vacuum of the empty outbox, the planner expects one waiting event, so a join of many
// events would compare every event with every other one. The chain is a running aggregate (migration 0014).
// `log_heads.position` is compared with the value that this statement read. If another relay has moved the head, the
// update finds no row and the caller rolls back.
const drainTo = (table: LedgerTable): string => `with head as materialized (
    select position, hash, persisted_at from log_heads where org_id = $1::text
  ), taken as materialized (
    delete from log_outbox where org_id = $1::text
      and id = any (array(
        select id from log_outbox where org_id = $1::text and id > $5::bigint and id < coalesce((
          select id from log_inputs where org_id = $1::text and id > $5::bigint order by id limit 1
        ), 9223372036854775807)
        order by id limit $2::integer))
    returning *
  ), numbered as (
    select taken.*, head.hash as first_hash, head.position + row_number() over (order by taken.id) as position,
      greatest($3::timestamptz, head.persisted_at, max(taken.published) over (order by taken.id)) as persisted_at
    from taken cross join head
  ), chained as (
    select numbered.*, log_chain_hash(first_hash, convert_to($4::text, 'UTF8'), $1::text, position, digest)
      over (order by position) as hash
    from numbered
  ), written as (
    insert into ${table} (org_id, position, persisted_at, hash, ${CARRIED_COLUMNS})
    select $1::text, position, persisted_at, hash, ${CARRIED_COLUMNS} from chained order by position
    returning position, hash, persisted_at
  ), newest as (
    select position, hash, persisted_at from written order by position desc limit 1
  ), moved as (
    update log_heads set position = newest.position, hash = newest.hash, persisted_at = newest.persisted_at
    from newest
    where log_heads.org_id = $1::text and log_heads.position = (select position from head)
    returning log_heads.position
  )
  select (select count(*) from taken)::integer as taken,
    ((select position from moved) - (select position from head))::integer as moved,
    (select extract(epoch from clock_timestamp() - min(coalesce(queued_at, published))) * 1000
      from taken)::float8 as lag`;

const DRAINS = {
  log_events: { name: 'relay_drain', text: drainTo('log_events') },
  log_fresh: { name: 'relay_drain_fresh', text: drainTo('log_fresh') },
} as const satisfies Readonly<Record<LedgerTable, unknown>>;

/** This error is thrown if another relay moved the head or the head is missing. The transaction must then roll back. */
export class FenceError extends Error {}

/** Moves up to `limit` rows of an org's outbox, with ids above `lowWater`, to the end of its chain. */
export async function drainOutbox(
  connection: LogConnection,
  table: LedgerTable,
  orgId: OrgId,
  limit: number,
  now: Date,
  lowWater = 0,
): Promise<OrgDrain> {
  const values = [orgId, limit, now.toISOString(), CHAIN_LABEL, lowWater];
  const [row] = await rowsOf<{ taken: number; moved: number | null; lag: number | null }>(
    connection,
    DRAINS[table].text,
    values,
    DRAINS[table].name,
  );
  const taken = row?.taken ?? 0;
  if (taken !== (row?.moved ?? 0)) throw new FenceError(`the head of the log of ${orgId} moved under the relay`);
  return { events: taken, lagMilliseconds: Math.max(0, row?.lag ?? 0) };
}
