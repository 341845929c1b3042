import type { OrgId } from '../../../kernel/words/ids.ts';
import { hasSealedBehind } from '../../ledger/sealed/find-sealed.ts';
import { readByPosition } from '../../ledger/sealed/one-log.ts';
import type { SealedEvent } from '../../ledger/sealed/sealed-range.ts';
import { dateOf, sealedColumns } from '../../ledger/sealed/sealed-rows.ts';
import { withoutSegments } from '../../ledger/sealed/segment-store.ts';
import { type Connections, type LogConnection, rowsOf } from '../../relay/connections.ts';
import type { SinkEvent } from '../sink.ts';
import { HEAD_PLACE, type LedgerPlace } from './deliveries-store.ts';

export interface LedgerEvent extends SinkEvent {
  readonly persistedAt: Date;
}

export interface LedgerPage {
  readonly events: readonly LedgerEvent[];
  /** The range of events after the cursor that have left the ledger. It is null if no event is missing. */
  readonly dropped: { readonly first: number; readonly last: number; readonly persistedAt: Date } | null;
  /** Whether the page reached the end of the ledger when it was read. */
  readonly reachedHead: boolean;
}

export interface PagePlace {
  /** The page starts after this position. */
  readonly position: number;
  /** Every event after `position` was persisted at this time or later. */
  readonly persistedAt: Date;
  /** The last position that the page may contain. Null means the head. */
  readonly upTo: number | null;
  readonly maximumEvents: number;
  /** The maximum total size of the bodies on the page. The first event is read even if its body is larger. */
  readonly maximumBytes: number;
}

const NOTHING: LedgerPage = { events: [], dropped: null, reachedHead: true };

// The length of a compressed value is known without reading the value, so bodies are read only for the rows of the
// page.
const PAGE = `select position, "persistedAt", uuid, published, "eventType", body from (
    select position, persisted_at as "persistedAt", uuid, published, event_type as "eventType", body,
      sum(octet_length(body)) over (order by position) as bytes, row_number() over (order by position) as ordinal
    from (
      select position, persisted_at, uuid, published, event_type, body from log_unsealed
      where org_id = $1 and position > $2::bigint and position <= $3::bigint
        and persisted_at >= $4::timestamptz and persisted_at <= $5::timestamptz and ${withoutSegments('$8')}
      order by position limit $6::integer
    ) nearest
  ) page where ordinal = 1 or bytes <= $7::bigint order by position`;

type Stored<Row> = Omit<Row, 'position'> & { position: string | number };

function sinkEvent(event: SealedEvent): LedgerEvent {
  const body = event.body.toString();
  return {
    position: event.position,
    persistedAt: dateOf(event.persistedAt),
    published: dateOf(event.published),
    uuid: sealedColumns(event, body).uuid,
    eventType: event.eventType,
    body,
  };
}

async function readEvents(
  connection: LogConnection,
  orgId: OrgId,
  place: PagePlace,
  upTo: number,
  persistedTo: Date,
): Promise<readonly LedgerEvent[]> {
  const range = { after: place.position, upTo, limit: place.maximumEvents, maximumBytes: place.maximumBytes };
  return readByPosition<LedgerEvent>(connection, orgId, range, {
    rows: async (some, isBeside) => {
      const rows = await rowsOf<Stored<LedgerEvent>>(connection, PAGE, [
        orgId,
        some.after,
        some.upTo,
        place.persistedAt,
        persistedTo,
        some.limit,
        some.maximumBytes,
        isBeside,
      ]);
      return rows.map((row) => ({ ...row, position: Number(row.position) }));
    },
    ofSealed: (events) => events.map(sinkEvent),
    bytesOf: ({ body }) => Buffer.byteLength(body),
  });
}

export const readLedgerPage = (connections: Connections, orgId: OrgId, place: PagePlace): Promise<LedgerPage> =>
  connections.withConnection(async (connection) => {
    const [stored] = await rowsOf<Stored<LedgerPlace>>(connection, HEAD_PLACE.text, [orgId], HEAD_PLACE.name);
    if (stored === undefined) return NOTHING;
    const head = { ...stored, position: Number(stored.position) };
    if (head.position <= place.position) return NOTHING;
    const upTo = Math.min(place.upTo ?? head.position, head.position);
    const events = await readEvents(connection, orgId, place, upTo, head.persistedAt);
    const first = events[0]?.position ?? upTo + 1;
    const last = events.at(-1)?.position ?? upTo;
    const dropped =
      first === place.position + 1
        ? null
        : { first: place.position + 1, last: first - 1, persistedAt: events[0]?.persistedAt ?? place.persistedAt };
    return { events, dropped, reachedHead: last >= head.position };
  });

/** Tests whether an event follows a place and has none of the given types. */
export const hasOtherEventsBehind = (
  connections: Connections,
  orgId: OrgId,
  place: { readonly position: number; readonly persistedAt: Date },
  eventTypes: ReadonlySet<string>,
): Promise<boolean> =>
  connections.withConnection(async (connection) => {
    const text = `select 1 from log_unsealed where org_id = $1 and position > $2::bigint
      and persisted_at >= $3::timestamptz and event_type <> all ($4::text[]) order by position limit 1`;
    const rows = await rowsOf(connection, text, [orgId, place.position, place.persistedAt, [...eventTypes]]);
    if (rows.length > 0) return true;
    return hasSealedBehind(connection, orgId, place.position, (eventType) => !eventTypes.has(eventType));
  });
