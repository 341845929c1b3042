import type { OrgId } from '../../kernel/words/ids.ts';
import { integerArray, type Statement, textArray } from '../../platform/postgres/index.ts';

/**
 * A rendered event, in the form that versions up to 0.3 write. Later builds write this form until they may write inputs
 * (`input-store.ts`), which the relay renders (ADR 0071).
 */
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
  readonly tokens: Int32Array;
  readonly salt: Buffer;
  readonly digest: Buffer;
  /** The event's text in UTF-8, exactly as it was digested. */
  readonly body: Buffer;
}

const COLUMNS: readonly (readonly [name: string, cast: string, value: (row: OutboxRow) => unknown])[] = [
  ['org_id', 'text', (row) => row.orgId],
  ['uuid', 'uuid', (row) => row.uuid],
  ['published', 'timestamptz', (row) => row.published.toISOString()],
  ['event_type', 'text', (row) => row.eventType],
  ['severity', 'text', (row) => row.severity],
  ['actor_id', 'text', (row) => row.actorId],
  ['target_ids', 'text[]', (row) => row.targetIds],
  ['outcome_result', 'text', (row) => row.outcomeResult],
  ['client_ip_address', 'text', (row) => row.clientIpAddress],
  ['transaction_id', 'text', (row) => row.transactionId],
  ['tokens', 'integer[]', (row) => integerArray(row.tokens)],
  ['salt', 'bytea', (row) => row.salt],
  ['digest', 'bytea', (row) => row.digest],
  ['body', 'text', (row) => row.body],
];

/**
 * The maximum number of rows in an insert with a list of `values`. A larger insert passes arrays, so that one statement
 * serves all sizes.
 */
const LARGEST_NAMED_INSERT = 4;

const rowPlaceholders = (first: number): string =>
  `(${COLUMNS.map(([, cast], index) => `$${first + index}::${cast}`).join(', ')})`;

function insertText(rows: number): string {
  const names = COLUMNS.map(([name]) => name).join(', ');
  const groups = Array.from({ length: rows }, (_, index) => rowPlaceholders(index * COLUMNS.length + 1));
  return `insert into log_outbox (${names}) values ${groups.join(', ')}`;
}

const NAMED_INSERTS = Array.from({ length: LARGEST_NAMED_INSERT }, (_, index) => ({
  name: `log_outbox_insert_${index + 1}`,
  text: insertText(index + 1),
}));

/** Makes the SQL that reads a column from an array item. The item is text, in which bytes are in hex format. */
const fromItem = ([name, cast]: (typeof COLUMNS)[number]): string =>
  cast === 'bytea' ? `decode(e.${name}, 'hex')` : `e.${name}::${cast}`;

const COLUMN_NAMES = COLUMNS.map(([name]) => name).join(', ');

/** The rows get their ids in the order of the arrays, because `unnest` preserves it. */
const MANY = {
  name: 'log_outbox_insert_many',
  text: `insert into log_outbox (${COLUMN_NAMES}) select ${COLUMNS.map(fromItem).join(', ')}
    from unnest(${COLUMNS.map((_, index) => `$${index + 1}::text[]`).join(', ')}) as e (${COLUMN_NAMES})`,
};

const ESCAPED = /[\\"]/g;

const quoted = (item: string): string => {
  // Nearly all items are ids, and a search costs less than a replacement of nothing.
  const text = item.includes('"') || item.includes('\\') ? item.replaceAll(ESCAPED, String.raw`\$&`) : item;
  return `"${text}"`;
};

/** Formats a PostgreSQL array. Items are quoted, because a caller may invent ids with quotes, commas or braces. */
export const arrayText = (items: readonly string[]): string => `{${items.map(quoted).join(',')}}`;

/** The text of the columns whose value is neither text nor UTF-8 bytes. */
const ITEMS: Readonly<Record<string, (row: OutboxRow) => string | Uint8Array>> = {
  target_ids: (row) => arrayText(row.targetIds),
  tokens: (row) => `{${row.tokens.join(',')}}`,
  salt: (row) => row.salt.toString('hex'),
  digest: (row) => row.digest.toString('hex'),
};

function insertMany(rows: readonly OutboxRow[]): Statement {
  const values = COLUMNS.map(([name, , value]) => {
    const item = ITEMS[name] ?? ((row: OutboxRow) => value(row) as string | Uint8Array | null);
    return textArray(rows.map(item));
  });
  return { ...MANY, values };
}

/**
 * The insert comes last in its transaction and draws the ids after the change has locked its rows, so an effect gets a
 * higher id than its cause.
 */
export function insertOutbox(rows: readonly OutboxRow[]): Statement {
  if (rows.length === 0) throw new Error('an outbox insert needs at least one event');
  if (rows.length > LARGEST_NAMED_INSERT) return insertMany(rows);
  const values: unknown[] = [];
  for (const row of rows) for (const column of COLUMNS) values.push(column[2](row));
  const named = NAMED_INSERTS[rows.length - 1];
  if (named === undefined) throw new Error('no statement for so many events');
  return { ...named, values };
}

/**
 * Makes the SQL that copies the row of a waiting event into the quarantine. The parameters are the org ($1), the id
 * ($2), a reason ($3) and a time ($4).
 */
export const keepInQuarantine = (table: 'log_inputs' | 'log_outbox'): string => `with original as (
      select org_id, id, uuid, event_type, to_jsonb(${table}) as row
      from ${table} where org_id = $1::text and id = $2::bigint
    ), kept as (
      insert into log_quarantine (org_id, id, uuid, event_type, row, reason, quarantined_at)
      select org_id, id, uuid, event_type, row, $3::text, $4::timestamptz from original
      on conflict (org_id, id) do nothing
    )`;

/** Builds the statement that quarantines a waiting row. The event `row` about the quarantine takes its place. */
export function quarantineStatement(row: OutboxRow, id: number, reason: string, now: Date): Statement {
  const sets = COLUMNS.map(([name, cast], index) => `${name} = $${index + 5}::${cast}`).slice(1);
  // $5 is the org again, because the values of all columns are passed. PostgreSQL refuses a parameter that no
  // expression uses, so the condition compares it.
  return {
    text: `${keepInQuarantine('log_outbox')}
    update log_outbox set ${sets.join(', ')} where org_id = $1::text and id = $2::bigint and org_id = $5::text`,
    values: [row.orgId, id, reason, now.toISOString(), ...COLUMNS.map(([, , value]) => value(row))],
  };
}
