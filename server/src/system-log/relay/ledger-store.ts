import type { OrgId } from '../../kernel/words/ids.ts';
import { inTransaction, type LogConnection, rowsOf } from './connections.ts';

export interface LedgerRow {
  readonly position: number;
  readonly persistedAt: Date;
  readonly uuid: string;
  readonly published: Date;
  readonly eventType: string;
  readonly severity: string;
  readonly actorId: string;
  readonly targetIds: readonly string[];
  readonly outcomeResult: string | null;
  readonly clientIpAddress: string | null;
  readonly transactionId: string;
  /** The search terms as PostgreSQL prints them, such as `{1,2,3}`. */
  readonly tokens: string;
  /** This is null if the event was erased. */
  readonly salt: Buffer | null;
  readonly digest: Buffer;
  readonly hash: Buffer;
  readonly erasedAt: Date | null;
  readonly body: string;
}

export interface ChainPlace {
  readonly position: number;
  readonly hash: Buffer;
}

export interface LedgerRange {
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
  /** The page ends with the row whose body makes the total reach this number of bytes. */
  readonly maximumBytes: number;
}

interface StoredPlace {
  position: string | number;
  hash: Buffer;
}

const placeOf = (row: StoredPlace | undefined): ChainPlace | null =>
  row === undefined ? null : { position: Number(row.position), hash: row.hash };

export async function findHead(connection: LogConnection, orgId: OrgId): Promise<ChainPlace | null> {
  const [row] = await rowsOf<StoredPlace>(connection, 'select position, hash from log_heads where org_id = $1', [
    orgId,
  ]);
  return placeOf(row);
}

/** Finds the signed anchor of the events that have left the ledger. */
export async function findLastAnchor(
  connection: LogConnection,
  orgId: OrgId,
): Promise<(ChainPlace & { readonly signed: string }) | null> {
  const [row] = await rowsOf<StoredPlace & { signed: string }>(
    connection,
    'select position, hash, signed from log_anchors where org_id = $1 order by position desc limit 1',
    [orgId],
  );
  const place = placeOf(row);
  return row === undefined || place === null ? null : { ...place, signed: row.signed };
}

/** Finds the place in the chain at a position, from its event or from the anchor that replaced the event. */
export async function findPlace(connection: LogConnection, orgId: OrgId, position: number): Promise<ChainPlace | null> {
  const [row] = await rowsOf<StoredPlace>(
    connection,
    `(select position, hash from log_events where org_id = $1 and position = $2::bigint limit 1)
     union all (select position, hash from log_anchors where org_id = $1 and position = $2::bigint) limit 1`,
    [orgId, position],
  );
  return placeOf(row);
}

type Stored<Row> = Omit<Row, 'position'> & { position: string | number };

const numbered = <Row extends { position: number }>(rows: readonly Stored<Row>[]): Row[] =>
  rows.map((row) => ({ ...row, position: Number(row.position) }) as Row);

const COLUMNS = `position, persisted_at as "persistedAt", uuid, published, event_type as "eventType", severity,
  actor_id as "actorId", target_ids as "targetIds", outcome_result as "outcomeResult",
  client_ip_address as "clientIpAddress", transaction_id as "transactionId", tokens::text as tokens, salt, digest, hash,
  erased_at as "erasedAt", body`;

/** A page may contain two rows with one position, which is a sign of tampering. */
export async function findLedgerRows(
  connection: LogConnection,
  orgId: OrgId,
  { after, limit, maximumBytes, upTo }: LedgerRange,
): Promise<LedgerRow[]> {
  const rows = await rowsOf<Stored<LedgerRow>>(
    connection,
    `select ${COLUMNS} from (
       select *, sum(octet_length(body)) over (order by position) - octet_length(body) as bytes_before
       from (
         select * from log_events where org_id = $1 and position > $2::bigint and position <= $3::bigint
         order by position limit $4::integer
       ) read
     ) page where bytes_before < $5::bigint order by position`,
    [orgId, after, upTo, limit, maximumBytes],
  );
  return numbered<LedgerRow>(rows);
}

/** Finds the lowest event position beyond both `head` and the org's current head. */
export async function findBeyondHead(connection: LogConnection, orgId: OrgId, head: number): Promise<number | null> {
  const [row] = await rowsOf<{ position: string | number }>(
    connection,
    `select position from log_events where org_id = $1 and position > $2::bigint
       and position > coalesce((select position from log_heads where org_id = $1), 0)
     order by position limit 1`,
    [orgId, head],
  );
  return row === undefined ? null : Number(row.position);
}

/** Tests whether an event of a type follows a position or waits for the relay. */
export async function isEventBehind(
  connection: LogConnection,
  orgId: OrgId,
  position: number,
  eventType: string,
): Promise<boolean> {
  const [row] = await rowsOf<{ found: boolean }>(
    connection,
    `select exists (
       select from log_events where org_id = $1 and position > $2::bigint and event_type = $3
     ) or exists (select from log_inputs where org_id = $1 and event_type = $3)
       or exists (select from log_outbox where org_id = $1 and event_type = $3) as found`,
    [orgId, position, eventType],
  );
  return row?.found === true;
}

export interface ExportRow {
  readonly position: number;
  readonly salt: Buffer | null;
  readonly digest: Buffer;
  readonly hash: Buffer;
  readonly erasedAt: Date | null;
  /** This is null if the event was published outside the window. */
  readonly body: string | null;
}

export interface ExportWindow {
  /** The inclusive start of the window. */
  readonly since: Date | null;
  /** The exclusive end of the window. */
  readonly until: Date | null;
}

export async function findExportRows(
  connection: LogConnection,
  orgId: OrgId,
  { after, limit, maximumBytes, upTo }: LedgerRange,
  { since, until }: ExportWindow,
): Promise<ExportRow[]> {
  const rows = await rowsOf<Stored<ExportRow>>(
    connection,
    `select position, salt, digest, hash, "erasedAt", body from (
       select *, sum(bytes) over (order by position) - bytes as bytes_before
       from (
         select position, salt, digest, hash, erased_at as "erasedAt",
           case when inside then body end as body, case when inside then octet_length(body) else 0 end as bytes
         from (
           select *, published >= coalesce($6::timestamptz, '-infinity')
             and published < coalesce($7::timestamptz, 'infinity') as inside
           from log_events where org_id = $1 and position > $2::bigint and position <= $3::bigint
           order by position limit $4::integer
         ) found
       ) read
     ) page where bytes_before < $5::bigint order by position`,
    [orgId, after, upTo, limit, maximumBytes, since?.toISOString() ?? null, until?.toISOString() ?? null],
  );
  return numbered<ExportRow>(rows);
}

async function withoutTimeout(connection: LogConnection): Promise<boolean> {
  await connection.query('set local statement_timeout = 0');
  return true;
}

/** The statement has no timeout, because the window may contain the whole ledger. */
export async function findWindowEnds(
  connection: LogConnection,
  orgId: OrgId,
  { since, until }: ExportWindow,
): Promise<{ readonly first: number; readonly last: number } | null> {
  const found = await inTransaction(connection, withoutTimeout, () =>
    rowsOf<{ first: string | number | null; last: string | number | null }>(
      connection,
      `select min(position) as first, max(position) as last from (
         select position from log_events where org_id = $1 and published >= coalesce($2::timestamptz, '-infinity')
           and published < coalesce($3::timestamptz, 'infinity')
           and persisted_at >= coalesce($2::timestamptz, '-infinity') offset 0
       ) found`,
      [orgId, since?.toISOString() ?? null, until?.toISOString() ?? null],
    ),
  );
  const [row] = found ?? [];
  if (row === undefined || row.first === null || row.last === null) return null;
  return { first: Number(row.first), last: Number(row.last) };
}
