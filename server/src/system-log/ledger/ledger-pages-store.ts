import type { OrgId } from '../../kernel/words/ids.ts';
import { type LogConnection, rowsOf } from '../relay/connections.ts';
import { readByPosition } from './sealed/one-log.ts';
import type { OpenSegment } from './sealed/open-segment.ts';
import type { SealedEvent, SealedRange } from './sealed/sealed-range.ts';
import { dateOf, digestOf, erasedAtOf, sealedColumns } from './sealed/sealed-rows.ts';
import { SealedTerms } from './sealed/sealed-terms.ts';
import { withoutSegments } from './sealed/segment-store.ts';

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
  /** The facts about the event's segment. This is null if the event is not sealed. */
  readonly sealed: SealedFacts | null;
}

export interface SealedFacts {
  /** Whether the segment's columns agree with its head. */
  readonly isAsStored: boolean;
  /** The hash that the event is chained to, according to the segment. This is null unless the event is its first. */
  readonly previousHash: Buffer | null;
}

export type LedgerRange = SealedRange;

type Stored<Row> = Omit<Row, 'position'> & { position: string | number };

const numbered = <Row extends { position: number }>(rows: readonly Stored<Row>[]): Row[] =>
  rows.map((row) => ({ ...row, position: Number(row.position) }) as Row);

const bytesOf = ({ body }: { readonly body: string | null }): number => (body === null ? 0 : Buffer.byteLength(body));

const COLUMNS = `position, persisted_at as "persistedAt", uuid, published, event_type as "eventType", severity,
  actor_id as "actorId", target_ids as "targetIds", outcome_result as "outcomeResult",
  client_ip_address as "clientIpAddress", transaction_id as "transactionId", tokens::text as tokens, salt, digest, hash,
  erased_at as "erasedAt", body`;

async function findUnsealedRows(
  connection: LogConnection,
  orgId: OrgId,
  { after, limit, maximumBytes, upTo }: LedgerRange,
  isBeside: boolean,
): Promise<LedgerRow[]> {
  const rows = await rowsOf<Stored<LedgerRow>>(
    connection,
    `select ${COLUMNS}, null as sealed from (
       select *, sum(octet_length(body)) over (order by position) - octet_length(body) as bytes_before
       from (
         select * from log_unsealed where org_id = $1 and position > $2::bigint and position <= $3::bigint
           and ${withoutSegments('$6')}
         order by position limit $4::integer
       ) read
     ) page where bytes_before < $5::bigint order by position`,
    [orgId, after, upTo, limit, maximumBytes, isBeside],
  );
  return numbered<LedgerRow>(rows);
}

function isAsStored({ head, stored }: OpenSegment): boolean {
  const first = head.positions[0]?.first;
  const last = head.positions.at(-1);
  return (
    stored.firstPosition === first &&
    last !== undefined &&
    stored.lastPosition === last.first + last.count - 1 &&
    stored.firstPublished === head.published.first &&
    stored.lastPublished === head.published.last &&
    stored.firstPersistedAt === head.persisted.first &&
    stored.lastPersistedAt === head.persisted.last
  );
}

function ledgerRow(event: SealedEvent, terms: Int32Array): LedgerRow {
  const { eventType, hash, outcomeResult, place, position, salt, severity } = event;
  const body = event.body.toString();
  const { head } = place.segment;
  return {
    position,
    persistedAt: dateOf(event.persistedAt),
    published: dateOf(event.published),
    eventType,
    severity,
    outcomeResult,
    ...sealedColumns(event, body),
    tokens: `{${terms.join(',')}}`,
    salt,
    digest: digestOf(event, body),
    hash,
    erasedAt: erasedAtOf(event),
    body,
    sealed: {
      isAsStored: isAsStored(place.segment),
      previousHash: place.ordinal === 0 ? head.previousHash : null,
    },
  };
}

/**
 * Reads whole rows. A page may contain two rows with one position, which is a sign of tampering. A caller that reads
 * several pages passes the same `terms`.
 */
export function findLedgerRows(
  connection: LogConnection,
  orgId: OrgId,
  range: LedgerRange,
  terms = new SealedTerms(),
): Promise<readonly LedgerRow[]> {
  return readByPosition<LedgerRow>(connection, orgId, range, {
    rows: (some, isBeside) => findUnsealedRows(connection, orgId, some, isBeside),
    bytesOf,
    ofSealed: async (events) => {
      const rows: LedgerRow[] = [];
      for (const event of events) {
        const { ordinal, segment } = event.place;
        const lists = await terms.of(connection, orgId, segment);
        rows.push(ledgerRow(event, lists[ordinal] ?? new Int32Array()));
      }
      return rows;
    },
  });
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

async function findUnsealedExportRows(
  connection: LogConnection,
  orgId: OrgId,
  { after, limit, maximumBytes, upTo }: LedgerRange,
  { since, until }: ExportWindow,
  isBeside: boolean,
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
           from log_unsealed where org_id = $1 and position > $2::bigint and position <= $3::bigint
             and ${withoutSegments('$8')}
           order by position limit $4::integer
         ) found
       ) read
     ) page where bytes_before < $5::bigint order by position`,
    [orgId, after, upTo, limit, maximumBytes, since?.toISOString() ?? null, until?.toISOString() ?? null, isBeside],
  );
  return numbered<ExportRow>(rows);
}

const microsecondsOf = (date: Date | null, otherwise: number): number =>
  date === null ? otherwise : date.getTime() * 1_000;

export function findExportRows(
  connection: LogConnection,
  orgId: OrgId,
  range: LedgerRange,
  exportWindow: ExportWindow,
): Promise<readonly ExportRow[]> {
  const since = microsecondsOf(exportWindow.since, Number.NEGATIVE_INFINITY);
  const until = microsecondsOf(exportWindow.until, Number.POSITIVE_INFINITY);
  return readByPosition<ExportRow>(connection, orgId, range, {
    rows: (some, isBeside) => findUnsealedExportRows(connection, orgId, some, exportWindow, isBeside),
    bytesOf,
    ofSealed: (events) =>
      events.map((event) => {
        const body = event.body.toString();
        return {
          position: event.position,
          salt: event.salt,
          digest: digestOf(event, body),
          hash: event.hash,
          erasedAt: erasedAtOf(event),
          body: event.published >= since && event.published < until ? body : null,
        };
      }),
  });
}
