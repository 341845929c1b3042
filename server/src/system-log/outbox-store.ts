import type { OrgId } from '../kernel/ids.ts';
import type { Statement } from '../platform/postgres/index.ts';

/** An event as it waits: the ledger's row without position, hash and persisted_at. */
export interface OutboxRow {
  readonly orgId: OrgId;
  readonly uuid: string;
  readonly published: Date;
  readonly eventType: string;
  readonly severity: string;
  readonly actorId: string;
  readonly targetIds: readonly string[];
  readonly outcomeResult: string | null;
  readonly clientIpAddress: string | null;
  readonly transactionId: string;
  readonly tokens: readonly number[];
  readonly salt: Buffer;
  readonly digest: Buffer;
  readonly body: string;
}

/** Column, its type where the driver's text needs one, and its value: insert and quarantine read the same table. */
const COLUMNS: readonly (readonly [name: string, cast: string, value: (row: OutboxRow) => unknown])[] = [
  ['org_id', 'text', (row) => row.orgId],
  ['uuid', 'uuid', (row) => row.uuid],
  ['published', 'timestamptz', (row) => row.published.toISOString()],
  ['event_type', 'text', (row) => row.eventType],
  ['severity', 'text', (row) => row.severity],
  ['actor_id', 'text', (row) => row.actorId],
  ['target_ids', 'text[]', (row) => [...row.targetIds]],
  ['outcome_result', 'text', (row) => row.outcomeResult],
  ['client_ip_address', 'text', (row) => row.clientIpAddress],
  ['transaction_id', 'text', (row) => row.transactionId],
  ['tokens', 'integer[]', (row) => `{${row.tokens.join(',')}}`],
  ['salt', 'bytea', (row) => row.salt],
  ['digest', 'bytea', (row) => row.digest],
  ['body', 'text', (row) => row.body],
];

/** Beyond this many events a name would fill the connections' statement caches for shapes that hardly ever return. */
const LARGEST_NAMED_INSERT = 4;

const rowPlaceholders = (first: number): string =>
  `(${COLUMNS.map(([, cast], index) => `$${first + index}::${cast}`).join(', ')})`;

/** `id` is drawn by the insert itself, hence after the row locks of the change: effects get later ids than causes. */
export function insertOutbox(rows: readonly OutboxRow[]): Statement {
  if (rows.length === 0) throw new Error('an outbox insert needs at least one event');
  const names = COLUMNS.map(([name]) => name).join(', ');
  const groups = rows.map((_, index) => rowPlaceholders(index * COLUMNS.length + 1)).join(', ');
  const statement = {
    text: `insert into log_outbox (${names}) values ${groups}`,
    values: rows.flatMap((row) => COLUMNS.map(([, , value]) => value(row))),
  };
  return rows.length > LARGEST_NAMED_INSERT ? statement : { ...statement, name: `log_outbox_insert_${rows.length}` };
}

/** Sets one waiting row aside and puts `replacement` in its place, so that an event says so at its position. */
export function quarantineStatement(row: OutboxRow, id: number, reason: string, now: Date): Statement {
  const sets = COLUMNS.map(([name, cast], index) => `${name} = $${index + 5}::${cast}`).slice(1);
  // $5 is the org again; it stays in the list so that the numbering of the columns holds.
  return {
    text: `with original as (
      select org_id, id, uuid, event_type, to_jsonb(log_outbox) as row
      from log_outbox where org_id = $1::text and id = $2::bigint
    ), kept as (
      insert into log_quarantine (org_id, id, uuid, event_type, row, reason, quarantined_at)
      select org_id, id, uuid, event_type, row, $3::text, $4::timestamptz from original
      on conflict (org_id, id) do nothing
    )
    update log_outbox set ${sets.join(', ')} where org_id = $1::text and id = $2::bigint and org_id = $5::text`,
    values: [row.orgId, id, reason, now.toISOString(), ...COLUMNS.map(([, , value]) => value(row))],
  };
}
