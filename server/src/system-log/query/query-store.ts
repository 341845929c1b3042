import { type RawBuilder, sql } from 'kysely';
import type { OrgId } from '../../kernel/words/ids.ts';
import {
  type BoundedPlace,
  boundedAxis,
  type LogHead,
  type LogRow,
  type PollingPlace,
  pollingAxis,
} from './query-axis-store.ts';
import { sieveOf } from './query-conditions-store.ts';
import type { LogQuery } from './query-parameters.ts';
import { type LogSource, QUERY_TIMEOUT_MILLISECONDS, type Reading, withReading } from './query-reading-store.ts';
import { readHead, search } from './query-search-store.ts';
import {
  areRowsFew,
  boundedBounds,
  isCompleteWithout,
  lookForSegments,
  noSegments,
  pollingBounds,
  readMixedPage,
  readSealedPoll,
  sealedTimesOf,
} from './sealed/sealed-page-store.ts';

export type { BoundedPlace, LogHead, LogRow, PollingPlace } from './query-axis-store.ts';
export type { LogSource } from './query-reading-store.ts';

/** A log with at most this number of events needs no search for the start of a poll. */
const FEW_EVENTS = 10_000;

/**
 * Makes the query for the last position whose event was persisted before `since`. Bisection works, because positions
 * and times rise together. A position without an event counts as earlier, because its event was dropped, or is sealed
 * and read before the rows.
 */
const positionBefore = (orgId: OrgId, { head, since }: { head: number; since: Date }): RawBuilder<unknown> => sql`
  with recursive halving (low, high) as (
    select 0::bigint, ${head}::bigint + 1
    union all
    select case when at.is_before then middle else low end, case when at.is_before then high else middle end
    from (select low, high, (low + high) / 2 as middle from halving where high - low > 1) half
    cross join lateral (
      select coalesce((
        select persisted_at < ${since.toISOString()}::timestamptz from log_unsealed
        where org_id = ${orgId} and position = half.middle limit 1
      ), true) as is_before
    ) at
  )
  select low as position from halving where high - low <= 1`;

/** In a large log, a poll starts after the events that were persisted before its `since`. */
async function beginningOf(reading: Reading, orgId: OrgId, head: LogHead | null, place: PollingPlace) {
  if (place.publishedFrom === null || head === null || head.position <= FEW_EVENTS) return place;
  const [result] = await reading.run(positionBefore(orgId, { head: head.position, since: place.persistedAt }));
  const [row] = (result?.rows ?? []) as readonly { readonly position: string | number }[];
  return { ...place, position: Math.max(place.position, Number(row?.position ?? 0)) };
}

/** Segments come before the rows. The head is read first, so that the page sees all events up to the head. */
export function readPollingPage(
  source: LogSource,
  orgId: OrgId,
  query: LogQuery,
  place: PollingPlace,
): Promise<{ head: LogHead | null; rows: LogRow[] }> {
  const bounds = pollingBounds(query, place);
  return withReading(source, lookForSegments(orgId, bounds), async (reading) => {
    const head = await readHead(reading, orgId);
    const isSealed = sealedTimesOf(reading.ahead) !== null;
    const sealed = isSealed ? await readSealedPoll(reading, orgId, query, bounds) : [];
    const count = query.limit - sealed.length;
    if (count === 0) return { head, rows: sealed };
    const axis = pollingAxis(orgId, query, await beginningOf(reading, orgId, head, place));
    const areFew = (): boolean => areRowsFew(reading.ahead);
    const rows = await search(reading, { orgId, axis, sieve: sieveOf(orgId, query), count, areFew });
    return { head, rows: [...sealed, ...rows] };
  });
}

/** Reads up to `count` events by `published`, then by position, in the order that the query requests. */
export async function readBoundedPage(
  source: LogSource,
  orgId: OrgId,
  query: LogQuery,
  place: BoundedPlace,
  count: number,
): Promise<LogRow[]> {
  const sieve = sieveOf(orgId, query);
  const begun = performance.now();
  const bounds = boundedBounds(query, place);
  const isAscending = query.order === 'ascending';
  const { areFew, rows, times } = await withReading(source, lookForSegments(orgId, bounds), async (reading) => {
    const isInVain = (): boolean => sealedTimesOf(reading.ahead) !== null;
    // Segments come before nearly all rows. In ascending order, they decide which rows a page still needs.
    const unless = isAscending ? { unless: { condition: noSegments(orgId, bounds), isInVain } } : {};
    const axis = boundedAxis(orgId, query, place);
    const areRead = (): boolean => areRowsFew(reading.ahead);
    const found = await search(reading, { orgId, axis, sieve, count, areFew: areRead, ...unless });
    return { areFew: areRead(), rows: found, times: sealedTimesOf(reading.ahead) };
  });
  if (times === null || isCompleteWithout(times, query, rows, count)) return rows;
  const spent = performance.now() - begun;
  const timeoutMilliseconds = Math.max(1, (source.timeoutMilliseconds ?? QUERY_TIMEOUT_MILLISECONDS) - spent);
  return withReading({ ...source, timeoutMilliseconds }, null, (reading) => {
    const readAscending = (some: LogQuery): Promise<LogRow[]> =>
      search(reading, {
        orgId,
        axis: boundedAxis(orgId, some, place),
        sieve,
        count,
        goesOn: true,
        areFew: () => areFew,
      });
    // In descending order, the rows come first. An event that is sealed since they were read is in both lists.
    const readRows = isAscending ? readAscending : async () => rows;
    return readMixedPage(reading, orgId, query, place, count, readRows);
  });
}
