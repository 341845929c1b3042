import type { OrgId } from '../../../kernel/words/ids.ts';
import { type Db, run } from '../../../platform/postgres/index.ts';
import type { SinkEvent } from '../sink.ts';
import { findHeadPlace } from './deliveries-store.ts';

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
      select position, persisted_at, uuid, published, event_type, body from log_events
      where org_id = $1 and position > $2::bigint and position <= $3::bigint
        and persisted_at >= $4::timestamptz and persisted_at <= $5::timestamptz
      order by position limit $6::integer
    ) nearest
  ) page where ordinal = 1 or bytes <= $7::bigint order by position`;

export async function readLedgerPage(db: Db, orgId: OrgId, place: PagePlace): Promise<LedgerPage> {
  const head = await findHeadPlace(db, orgId);
  if (head === null || head.position <= place.position) return NOTHING;
  const upTo = Math.min(place.upTo ?? head.position, head.position);
  const events = await run<LedgerEvent>(db, PAGE, [
    orgId,
    place.position,
    upTo,
    place.persistedAt,
    head.persistedAt,
    place.maximumEvents,
    place.maximumBytes,
  ]);
  const first = events[0]?.position ?? upTo + 1;
  const last = events.at(-1)?.position ?? upTo;
  const dropped =
    first === place.position + 1
      ? null
      : { first: place.position + 1, last: first - 1, persistedAt: events[0]?.persistedAt ?? place.persistedAt };
  return { events, dropped, reachedHead: last >= head.position };
}

/** Tests whether an event follows a place and has none of the given types. */
export async function hasOtherEventsBehind(
  db: Db,
  orgId: OrgId,
  place: { readonly position: number; readonly persistedAt: Date },
  eventTypes: readonly string[],
): Promise<boolean> {
  const text = `select 1 from log_events where org_id = $1 and position > $2::bigint and persisted_at >= $3::timestamptz
    and event_type <> all ($4::text[]) order by position limit 1`;
  return (await run(db, text, [orgId, place.position, place.persistedAt, eventTypes])).length > 0;
}
