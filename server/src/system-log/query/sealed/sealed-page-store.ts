import { type RawBuilder, sql } from 'kysely';
import type { OrgId } from '../../../kernel/words/ids.ts';
import { ALL_SEGMENTS, boundOf } from '../../ledger/sealed/find-sealed.ts';
import type { SegmentBounds } from '../../ledger/sealed/segment-store.ts';
import type { LogResult } from '../../relay/connections.ts';
import type { BoundedPlace, LogRow, PollingPlace } from '../query-axis-store.ts';
import type { LogQuery } from '../query-parameters.ts';
import type { Reading } from '../query-reading-store.ts';
import { searchSealed } from './sealed-search.ts';
import { sealedSieveOf } from './sealed-sieve.ts';

// A page by `published` may contain both sealed events and rows, in any order. Most pages contain no sealed event, so
// the segments that may belong to a page are looked up together with its rows, in one packet.

/** The times between which the segments that may belong to a page have events, in microseconds. */
export interface SealedTimes {
  readonly first: number;
  readonly last: number;
}

const time = (microseconds: number): RawBuilder<unknown> =>
  sql`'epoch'::timestamptz + ${microseconds}::bigint * interval '1 microsecond'`;

// Times beyond those of all segments are damage, which the reader of the segment refuses. Here they are cut off.
const cutOff = (found: RawBuilder<unknown>): RawBuilder<unknown> => sql`case
    when extract(epoch from ${found}) >= 4503599627 then 4503599627000000
    when extract(epoch from ${found}) <= -4503599627 then -4503599627000000
    else (extract(epoch from ${found}) * 1000000)::bigint end`;

const segmentsWithin = (orgId: OrgId, bounds: SegmentBounds): RawBuilder<unknown> => sql`from log_segments
  where org_id = ${orgId} and last_position > ${bounds.after}::bigint and first_position <= ${bounds.upTo}::bigint
    and last_published >= ${time(bounds.publishedFrom)} and first_published <= ${time(bounds.publishedTo)}
    and last_persisted_at >= ${time(bounds.persistedFrom)}`;

export const lookForSegments = (orgId: OrgId, bounds: SegmentBounds): RawBuilder<unknown> => sql`
  select ${cutOff(sql`min(first_published)`)} as first, ${cutOff(sql`max(last_published)`)} as last, (
    select position from log_heads where org_id = ${orgId}
  ) - (
    select last_position from log_segments where org_id = ${orgId} order by last_position desc limit 1
  ) as unsealed
  ${segmentsWithin(orgId, bounds)}`;

/** The condition that no segment can belong to a page. PostgreSQL decides it once, before it reads a row. */
export const noSegments = (orgId: OrgId, bounds: SegmentBounds): RawBuilder<boolean> =>
  sql<boolean>`not exists (select ${segmentsWithin(orgId, bounds)})`;

type SeenSegments = { readonly [Column in 'first' | 'last' | 'unsealed']: string | number | null };

const seenSegments = (result: LogResult | null): SeenSegments | undefined =>
  ((result?.rows ?? []) as readonly SeenSegments[])[0];

/** Reading this number of rows costs less than asking the planner for an estimate of those that match. */
const FEW_ROWS = 5_000;

/** Tests whether an org with segments has few events that are not sealed. */
export function areRowsFew(result: LogResult | null): boolean {
  const unsealed = seenSegments(result)?.unsealed ?? null;
  return unsealed !== null && Number(unsealed) <= FEW_ROWS;
}

/** Returns null if no segment can belong to the page. */
export function sealedTimesOf(result: LogResult | null): SealedTimes | null {
  const row = seenSegments(result);
  if (row === undefined || row.first === null || row.last === null) return null;
  return { first: Number(row.first), last: Number(row.last) };
}

export const pollingBounds = (
  query: LogQuery,
  { persistedAt, position, publishedFrom }: PollingPlace,
): SegmentBounds => ({
  ...ALL_SEGMENTS,
  after: position,
  publishedFrom: boundOf(Math.max(query.windowStart.getTime(), publishedFrom?.getTime() ?? Number.NEGATIVE_INFINITY)),
  persistedFrom: boundOf(persistedAt),
});

export function boundedBounds(query: LogQuery, { last, since, upTo }: BoundedPlace): SegmentBounds {
  const from = boundOf(Math.max(since.getTime(), query.windowStart.getTime()));
  const to = query.until === null ? ALL_SEGMENTS.publishedTo : boundOf(query.until) - 1;
  const place = last === null ? null : boundOf(last.published);
  const isAscending = query.order === 'ascending';
  return {
    after: 0,
    upTo: (isAscending ? upTo : undefined) ?? ALL_SEGMENTS.upTo,
    publishedFrom: isAscending && place !== null ? Math.max(from, place) : from,
    publishedTo: !isAscending && place !== null ? Math.min(to, place) : to,
    persistedFrom: from,
  };
}

export const readSealedPoll = (
  { connection }: Reading,
  orgId: OrgId,
  query: LogQuery,
  bounds: SegmentBounds,
): Promise<LogRow[]> =>
  searchSealed(connection, {
    orgId,
    order: 'position',
    bounds,
    behind: null,
    sieve: sealedSieveOf(orgId, query),
    count: query.limit,
  });

/** Tests whether a page of rows is complete without the segments that may belong to it. */
export function isCompleteWithout(
  { first, last }: SealedTimes,
  query: LogQuery,
  rows: readonly LogRow[],
  count: number,
) {
  const end = rows.at(-1);
  if (end === undefined || rows.length < count) return false;
  return query.order === 'ascending' ? boundOf(end.published) < first : boundOf(end.published) > last;
}

/**
 * Merges two lists in the order of the query, up to `count` rows. An event of both lists, which was sealed after its
 * row had been read, is taken from the first one.
 */
export function mergedRows(one: readonly LogRow[], other: readonly LogRow[], query: LogQuery, count: number): LogRow[] {
  const direction = query.order === 'ascending' ? 1 : -1;
  const merged: LogRow[] = [];
  let [at, otherAt] = [0, 0];
  while (merged.length < count) {
    const [left, right] = [one[at], other[otherAt]];
    if (left === undefined && right === undefined) break;
    const order =
      left === undefined || right === undefined
        ? 0
        : left.published.getTime() - right.published.getTime() || left.position - right.position;
    if (left !== undefined && (right === undefined || order * direction <= 0)) {
      merged.push(left);
      at += 1;
      if (right !== undefined && order === 0) otherAt += 1;
    } else if (right !== undefined) {
      merged.push(right);
      otherAt += 1;
    }
  }
  return merged;
}

/** Reads a page that may contain both forms. `readRows` reads the rows of a query that are not sealed. */
export async function readMixedPage(
  { connection }: Reading,
  orgId: OrgId,
  query: LogQuery,
  place: BoundedPlace,
  count: number,
  readRows: (query: LogQuery) => Promise<readonly LogRow[]>,
): Promise<LogRow[]> {
  const bounds = boundedBounds(query, place);
  const wanted = { orgId, bounds, sieve: sealedSieveOf(orgId, query), count };
  const last = place.last;
  const behind = last === null ? null : { position: last.position, published: boundOf(last.published) };
  if (query.order === 'ascending') {
    const sealed = await searchSealed(connection, { ...wanted, order: 'published', behind });
    const end = sealed.length < count ? undefined : sealed.at(-1);
    // Rows that come after a full page of sealed events do not belong to it.
    const until = end === undefined ? query.until : new Date(end.published.getTime() + 1);
    return mergedRows(sealed, await readRows({ ...query, until }), query, count);
  }
  const rows = await readRows(query);
  const end = rows.length < count ? undefined : rows.at(-1);
  const publishedFrom = Math.max(
    bounds.publishedFrom,
    end === undefined ? bounds.publishedFrom : boundOf(end.published),
  );
  const order = 'published descending';
  const sealed = await searchSealed(connection, { ...wanted, bounds: { ...bounds, publishedFrom }, order, behind });
  return mergedRows(sealed, rows, query, count);
}
