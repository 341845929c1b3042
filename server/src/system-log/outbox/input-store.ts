import type { OrgId } from '../../kernel/words/ids.ts';
import { type Statement, textArray, uuidArray } from '../../platform/postgres/index.ts';
import { type LogConnection, rowsOf } from '../relay/connections.ts';
import { INPUT_FORMAT } from '../write/event-input.ts';
import { keepInQuarantine } from './outbox-store.ts';

/** An event that waits for the relay to render and number it. */
export interface InputRow {
  readonly orgId: OrgId;
  readonly uuid: string;
  readonly published: Date;
  readonly eventType: string;
  /** The facts from which the relay makes the event's text. */
  readonly input: string;
}

const INSERT = 'insert into log_inputs (org_id, published, uuid, event_type, format, input)';

/**
 * The maximum number of rows in an insert with a list of `values`. A larger insert passes arrays, so that one statement
 * serves all sizes.
 */
const LARGEST_NAMED_INSERT = 4;

const rowPlaceholders = (row: number): string => {
  const first = 3 + 3 * row;
  return `($1::text, $2::timestamptz, $${first}::uuid, $${first + 1}::text, ${INPUT_FORMAT}, $${first + 2}::text)`;
};

const NAMED_INSERTS = Array.from({ length: LARGEST_NAMED_INSERT }, (_, index) => ({
  name: `log_inputs_insert_${index + 1}`,
  text: `${INSERT} values ${Array.from({ length: index + 1 }, (__, row) => rowPlaceholders(row)).join(', ')}`,
}));

/** The rows get their ids in the order of the arrays, because `unnest` preserves it. */
const MANY = {
  name: 'log_inputs_insert_many',
  text: `${INSERT} select $1::text, $2::timestamptz, e.uuid, e.event_type, ${INPUT_FORMAT}, e.input
    from unnest($3::uuid[], $4::text[], $5::text[]) as e (uuid, event_type, input)`,
};

/**
 * The events share an org and a time. The insert comes last in its transaction and draws the ids after the change has
 * locked its rows, so an effect gets a higher id than its cause.
 */
export function insertInputs(rows: readonly InputRow[]): Statement {
  const [first] = rows;
  if (first === undefined) throw new Error('an outbox insert needs at least one event');
  const shared = [first.orgId, first.published.toISOString()];
  const named = NAMED_INSERTS[rows.length - 1];
  if (named !== undefined) {
    return { ...named, values: [...shared, ...rows.flatMap(({ eventType, input, uuid }) => [uuid, eventType, input])] };
  }
  const uuids = uuidArray(rows.map(({ uuid }) => uuid));
  const eventTypes = textArray(rows.map(({ eventType }) => eventType));
  return { ...MANY, values: [...shared, uuids, eventTypes, textArray(rows.map(({ input }) => input))] };
}

export interface TakenInput {
  readonly id: number;
  readonly uuid: string;
  readonly published: Date;
  readonly format: number;
  readonly input: string;
  /** The time at which the event began to wait, as text with microseconds. */
  readonly queuedAt: string;
}

/** The end of an org's chain, locked until the transaction ends. */
export interface LockedHead {
  readonly position: number;
  readonly hash: Buffer;
  readonly persistedAt: Date;
  /** Whether events also wait in the outbox of older builds. */
  readonly isOtherFormWaiting: boolean;
}

const LOCK_HEAD = `select position, hash, persisted_at as "persistedAt",
    exists (select from log_outbox where org_id = $1::text and id > $2::bigint) as "isOtherFormWaiting"
  from log_heads where org_id = $1::text for update`;

// An input is taken only if it was queued before every event in the outbox of older builds, so that events keep their
// order.
const TAKE = `with taken as (
  delete from log_inputs where org_id = $1::text and id = any (array(
    select id from (
      select id, sum(size) over (order by id) - size as size_before from (
        select id, octet_length(input) as size from log_inputs
        where org_id = $1::text and id > $2::bigint and id < coalesce((
          select id from log_outbox where org_id = $1::text and id > $2::bigint order by id limit 1
        ), 9223372036854775807)
        order by id limit $3::integer
      ) waiting
    ) sized where size_before < $4::bigint))
  returning id, uuid, published, format, input, queued_at)
  select id, uuid, published, format, input, queued_at::text as "queuedAt" from taken`;

/** A batch of this many bytes takes no further input, because the relay renders the whole batch in memory. */
const MAXIMUM_BATCH_BYTES = 4_000_000;

/** Locks the end of an org's chain and takes up to `limit` waiting inputs with ids above `lowWater`, in order of id. */
export async function takeInputs(
  connection: LogConnection,
  orgId: OrgId,
  limit: number,
  lowWater: number,
): Promise<{ readonly head: LockedHead | null; readonly taken: readonly TakenInput[] }> {
  // Both statements are sent together. The second one begins after the head is locked.
  const locked = rowsOf<Omit<LockedHead, 'position'> & { position: string | number }>(
    connection,
    LOCK_HEAD,
    [orgId, lowWater],
    'relay_lock_head',
  );
  const rows = rowsOf<Omit<TakenInput, 'id'> & { id: string | number }>(
    connection,
    TAKE,
    [orgId, lowWater, limit, MAXIMUM_BATCH_BYTES],
    'relay_take',
  );
  const [[head], taken] = await Promise.all([locked, rows]);
  return {
    head: head === undefined ? null : { ...head, position: Number(head.position) },
    taken: taken.map((row) => ({ ...row, id: Number(row.id) })).sort((left, right) => left.id - right.id),
  };
}

/** Builds the statement that quarantines a waiting input. The event `row` about the quarantine takes its place. */
export const quarantineInput = (row: InputRow, id: number, reason: string, now: Date): Statement => ({
  text: `${keepInQuarantine('log_inputs')}
    update log_inputs set uuid = $5::uuid, published = $6::timestamptz, event_type = $7::text, format = ${INPUT_FORMAT},
      input = $8::text
    where org_id = $1::text and id = $2::bigint`,
  values: [row.orgId, id, reason, now.toISOString(), row.uuid, row.published.toISOString(), row.eventType, row.input],
});
