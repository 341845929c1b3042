import type { Context } from '../../kernel/context.ts';
import { apiError, invalid } from '../../kernel/errors/errors.ts';
import type { CursorCodec } from '../../platform/http/index.ts';
import { failureCode, isUnavailable, unavailable } from '../../platform/postgres/index.ts';
import type { LogTrace } from '../access/access-log.ts';
import { bodiesShownTo, fieldsShownTo } from '../access/shown-events.ts';
import type { Connections } from '../relay/connections.ts';
import { findFirstWithin } from './cursor-skip-store.ts';
import { type LogQuery, type QueryEntries, readLogQuery } from './query-parameters.ts';
import { QueryTimeoutError } from './query-reading-store.ts';
import { type BoundedPlace, type LogHead, type PollingPlace, readBoundedPage, readPollingPage } from './query-store.ts';

type CursorScope = Parameters<CursorCodec['encode']>[0];

export interface LogLink {
  readonly rel: 'self' | 'next';
  readonly query: QueryEntries;
}

export interface LogPage {
  /** The events as the caller may see them. */
  readonly bodies: readonly string[];
  /** The link `self`, then the link `next` unless this is the last page. */
  readonly links: readonly LogLink[];
}

export interface LogReader {
  connections: Connections;
  cursors: CursorCodec;
  /** The time limit of a query (specification 4.4). */
  timeoutMilliseconds?: number;
  /** The trace records reads of the log, and cursors that are too old. */
  trace?: LogTrace;
}

const TOO_SLOW =
  'Your last request took too long to complete. This is likely due to a load issue on our side. ' +
  "We've logged this and will work to address it. Please either simplify your query or wait a few " +
  'minutes and try again.';

const QUERY_CANCELED = '57014';

interface Page {
  bodies: string[];
  /** The content of the next page's cursor. It is null on the last page. */
  next: readonly number[] | null;
}

const isInstant = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && Math.abs(value) <= 8.64e15;

/** Reads a cursor, which is a list of whole numbers. */
function readCursor(reader: LogReader, scope: CursorScope, text: string, ...lengths: number[]): readonly number[] {
  const payload = reader.cursors.decode(scope, text);
  if (!Array.isArray(payload) || !lengths.includes(payload.length) || !payload.every(isInstant)) {
    throw invalid('after', 'must be a cursor from the answer to the same query.');
  }
  return payload;
}

/** Records a cursor that is older than the window, because the caller may have missed events. */
function noteSkipped(reader: LogReader, context: Context, query: LogQuery, position: number, at: Date): void {
  if (at >= query.windowStart) return;
  const first = () => findFirstWithin(reader.connections, context.orgId, position, query.windowStart);
  reader.trace?.skipped(context, position, async () => (await first()) - position - 1);
}

/** The next cursor contains the position and the time up to which events were examined. */
async function pageByPosition(
  reader: LogReader,
  context: Context,
  query: LogQuery,
  place: PollingPlace,
): Promise<Page & { head: LogHead | null }> {
  const { head, rows } = await readPollingPage(reader, context.orgId, query, place);
  let examined = [place.position, place.persistedAt.getTime()];
  const last = rows.at(-1);
  if (last !== undefined) examined = [last.position, last.persistedAt.getTime()];
  if (rows.length < query.limit && head !== null && head.position > (examined[0] ?? 0)) {
    // No other event up to the head matches, so the next page need not examine this range again.
    examined = [head.position, Math.max(head.persistedAt.getTime(), place.persistedAt.getTime())];
  }
  return { bodies: rows.map((row) => row.body), next: examined, head };
}

/**
 * Reads a page of the events up to `head` in order of `published`. A poll with many events to catch up on begins with
 * such pages, so that a reader that restarts from its last `published` skips no existing event (ADR 0023).
 */
async function catchUpPage(
  reader: LogReader,
  context: Context,
  query: LogQuery,
  head: LogHead,
  place: BoundedPlace,
): Promise<Page> {
  const rows = await readBoundedPage(reader, context.orgId, query, { ...place, upTo: head.position }, query.limit);
  const last = rows.at(-1);
  const next = [head.position, head.persistedAt.getTime()];
  if (last !== undefined && rows.length === query.limit) {
    next.push(place.since.getTime(), last.published.getTime(), last.position);
  }
  return { bodies: rows.map((row) => row.body), next };
}

/**
 * The position in the cursor of a poll that has not begun. A first page with the limit 0 returns such a cursor, in
 * which `since` comes next.
 */
const NOT_BEGUN = -1;

async function firstPage(reader: LogReader, context: Context, query: LogQuery, since: Date): Promise<Page> {
  const place = { position: 0, persistedAt: since, publishedFrom: since };
  const { head, ...page } = await pageByPosition(reader, context, query, place);
  if (head === null || page.bodies.length < query.limit) return page;
  return catchUpPage(reader, context, query, head, { since, last: null });
}

async function pollingPage(reader: LogReader, context: Context, query: LogQuery, scope: CursorScope): Promise<Page> {
  const beginning = [NOT_BEGUN, query.since.getTime()];
  const cursor = query.after === null ? beginning : readCursor(reader, scope, query.after, 2, 5);
  if (query.limit === 0) return { bodies: [], next: cursor };
  const [position = 0, persisted = 0, since, published = 0, lastPosition = 0] = cursor;
  const persistedAt = new Date(persisted);
  if (position === NOT_BEGUN) return firstPage(reader, context, query, persistedAt);
  if (since === undefined) noteSkipped(reader, context, query, position, persistedAt);
  else {
    const last = { published: new Date(published), position: lastPosition };
    noteSkipped(reader, context, query, last.position, last.published);
    const place = { since: new Date(since), last };
    const page = await catchUpPage(reader, context, query, { position, persistedAt }, place);
    if (page.bodies.length > 0) return page;
  }
  return pageByPosition(reader, context, query, { position, persistedAt, publishedFrom: null });
}

async function boundedPage(reader: LogReader, context: Context, query: LogQuery, scope: CursorScope): Promise<Page> {
  let place: BoundedPlace = { since: query.since, last: null };
  if (query.after !== null) {
    const [published = 0, position = 0, since = 0] = readCursor(reader, scope, query.after, 3);
    place = { since: new Date(since), last: { published: new Date(published), position } };
  }
  if (query.limit === 0) return { bodies: [], next: null };
  const found = await readBoundedPage(reader, context.orgId, query, place, query.limit + 1);
  const rows = found.slice(0, query.limit);
  const last = rows.at(-1);
  const isLastPage = found.length <= query.limit || last === undefined;
  return {
    bodies: rows.map((row) => row.body),
    next: isLastPage ? null : [last.published.getTime(), last.position, place.since.getTime()],
  };
}

/** The link `next` has no `since`, because the cursor replaces `since`. */
function linksOf(entries: QueryEntries, limit: number, next: string | null): LogLink[] {
  const rest = entries.filter(([name]) => name !== 'after' && name !== 'limit');
  const limitEntry = ['limit', String(limit)] as const;
  const self: LogLink = { rel: 'self', query: [...entries.filter(([name]) => name === 'after'), limitEntry, ...rest] };
  if (next === null) return [self];
  const carried = rest.filter(([name]) => name !== 'since');
  return [self, { rel: 'next', query: [['after', next], limitEntry, ...carried] }];
}

/** Reads one page of the System Log (specification 4.4). */
export async function readLogPage(reader: LogReader, context: Context, entries: QueryEntries): Promise<LogPage> {
  const query = readLogQuery(entries, context.now, fieldsShownTo(context));
  const scope: CursorScope = {
    orgId: context.orgId,
    list: 'listLogEvents',
    query: query.cursorScope,
    direction: 'after',
  };
  try {
    const page = await (query.form === 'polling' ? pollingPage : boundedPage)(reader, context, query, scope);
    const next = page.next === null ? null : reader.cursors.encode(scope, page.next);
    reader.trace?.read(context, entries);
    return { bodies: bodiesShownTo(context, page.bodies, query.keywords), links: linksOf(entries, query.limit, next) };
  } catch (error) {
    if (failureCode(error) === QUERY_CANCELED || error instanceof QueryTimeoutError)
      throw apiError('E0000009', { summary: TOO_SLOW });
    throw isUnavailable(error) ? unavailable(error) : error;
  }
}
