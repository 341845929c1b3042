import type { OrgId } from '../../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../../platform/http/index.ts';
import { type Db, prepared, run } from '../../../platform/postgres/index.ts';
import { boundOf, findFirstSealed } from '../../ledger/sealed/find-sealed.ts';
import { dateOf } from '../../ledger/sealed/sealed-rows.ts';
import { connectionOn } from '../../relay/connections.ts';
import type { NewDeadLetter, NewDelivery } from '../store.ts';

export interface Delivery extends NewDelivery {
  readonly number: number;
}

export interface DeadLetter extends NewDeadLetter {
  readonly number: number;
}

/** Lists are newest first. A page that is read backwards starts with its oldest row, and `keysetPage` reverses it. */
const place = (request: KeysetRequest<number>): string =>
  request.backwards
    ? 'and number > $3::bigint order by number asc'
    : 'and number < coalesce($3::bigint, 9223372036854775807) order by number desc';

export function readDeliveries(
  db: Db,
  orgId: OrgId,
  sinkId: string,
  since: Date,
  request: KeysetRequest<number>,
): Promise<Delivery[]> {
  const text = `select number, batch_id as "batchId", first_position as "firstPosition",
      last_position as "lastPosition", events, attempt, outcome, status, reason, attempted_at as "attemptedAt",
      milliseconds
    from log_deliveries where org_id = $1 and sink_id = $2 and attempted_at >= $4 ${place(request)} limit $5::integer`;
  return run<Delivery>(db, text, [orgId, sinkId, request.key, since, request.rows]);
}

export function readDeadLetters(
  db: Db,
  orgId: OrgId,
  sinkId: string,
  request: KeysetRequest<number>,
): Promise<DeadLetter[]> {
  const text = `select number, first_position as "firstPosition", last_position as "lastPosition", uuid,
      event_type as "eventType", reason, status, created_at as "createdAt"
    from log_dead_letters where org_id = $1 and sink_id = $2 ${place(request)} limit $4::integer`;
  return run<DeadLetter>(db, text, [orgId, sinkId, request.key, request.rows]);
}

export interface LedgerPlace {
  readonly position: number;
  readonly persistedAt: Date;
}

/** Finds the first event of the ledger, in whichever form it is. */
export async function findFirstRetained(db: Db, orgId: OrgId): Promise<LedgerPlace | null> {
  const text = `(select first_position as position, first_persisted_at as "persistedAt" from log_segments
       where org_id = $1 order by last_position limit 1)
    union all
    (select position, persisted_at as "persistedAt" from log_unsealed where org_id = $1 order by position limit 1)
    order by position limit 1`;
  const [row] = await run<LedgerPlace>(db, text, [orgId]);
  return row ?? null;
}

/** Finds the first event persisted at or after an instant. */
export async function findFirstSince(db: Db, orgId: OrgId, since: Date): Promise<LedgerPlace | null> {
  const text = `select position, persisted_at as "persistedAt" from log_unsealed
    where org_id = $1 and persisted_at >= $2 order by position limit 1`;
  const [row] = await run<LedgerPlace>(db, text, [orgId, since]);
  // Segments come after the rows, so that an event that is sealed meanwhile is found.
  const sealed = await findFirstSealed(connectionOn(db), orgId, 0, boundOf(since));
  if (sealed === null || (row !== undefined && row.position < sealed.position)) return row ?? null;
  return { position: sealed.position, persistedAt: dateOf(sealed.persistedAt) };
}

/** The statement for an org's head. A connection refuses a second text for the name of a prepared statement. */
export const HEAD_PLACE = {
  name: 'log_head_place',
  text: 'select position, persisted_at as "persistedAt" from log_heads where org_id = $1',
} as const;

/** Finds the place of the last event of the org's log, even if that event has left the ledger. */
export async function findHeadPlace(db: Db, orgId: OrgId): Promise<LedgerPlace | null> {
  const [row] = await prepared<LedgerPlace>(db, HEAD_PLACE.name, HEAD_PLACE.text, [orgId]);
  return row ?? null;
}
