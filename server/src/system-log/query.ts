import type { Context } from '../kernel/context.ts';
import { apiError, invalid } from '../kernel/errors.ts';
import type { CursorCodec } from '../platform/http/index.ts';
import { failureCode, isUnavailable, unavailable } from '../platform/postgres/index.ts';
import type { Connections } from './connections.ts';
import { type LogQuery, type QueryEntries, readLogQuery } from './query-parameters.ts';
import { type BoundedPlace, type PollingPlace, readBoundedPage, readPollingPage } from './query-store.ts';

type CursorScope = Parameters<CursorCodec['encode']>[0];

export interface LogLink {
  readonly rel: 'self' | 'next';
  readonly query: QueryEntries;
}

export interface LogPage {
  /** Events as stored, in the order asked for: the answer is `[`, these joined by commas, `]`. */
  readonly bodies: readonly string[];
  /** `self`, then `next` unless this is the last page. */
  readonly links: readonly LogLink[];
}

export interface LogReader {
  connections: Connections;
  cursors: CursorCodec;
  /** 30 s unless said otherwise (specification 4.4). */
  timeoutMilliseconds?: number;
}

const TOO_SLOW =
  'Your last request took too long to complete. This is likely due to a load issue on our side. ' +
  "We've logged this and will work to address it. Please either simplify your query or wait a few " +
  'minutes and try again.';

const QUERY_CANCELED = '57014';

interface Page {
  bodies: string[];
  /** What the next page's cursor carries; null on the last page. */
  next: readonly number[] | null;
}

const isInstant = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && Math.abs(value) <= 8.64e15;

/** A cursor is a list of whole numbers; one of another shape was made by another version. */
function readCursor(reader: LogReader, scope: CursorScope, text: string, length: number): readonly number[] {
  const payload = reader.cursors.decode(scope, text);
  if (!Array.isArray(payload) || payload.length !== length || !payload.every(isInstant)) {
    throw invalid('after', "'after': is not a cursor of this query.");
  }
  return payload;
}

/** Cursor: highest position examined, and when it was persisted. An empty page means the head was reached. */
async function pollingPage(reader: LogReader, context: Context, query: LogQuery, scope: CursorScope): Promise<Page> {
  const [position, persistedAt] =
    query.after === null ? [0, query.since.getTime()] : readCursor(reader, scope, query.after, 2);
  const place: PollingPlace = {
    position: position ?? 0,
    persistedAt: new Date(persistedAt ?? 0),
    publishedFrom: query.after === null ? query.since : null,
  };
  const unmoved = [place.position, place.persistedAt.getTime()];
  if (query.limit === 0) return { bodies: [], next: unmoved };
  const { head, rows } = await readPollingPage(reader, context.orgId, query, place);
  let examined = unmoved;
  const last = rows.at(-1);
  if (last !== undefined) examined = [last.position, last.persistedAt.getTime()];
  if (rows.length < query.limit && head !== null && head.position > (examined[0] ?? 0)) {
    // Nothing but what was returned matches up to the head, so a rare filter never looks there again.
    examined = [head.position, Math.max(head.persistedAt.getTime(), place.persistedAt.getTime())];
  }
  return { bodies: rows.map((row) => row.body), next: examined };
}

/** Cursor: `published` and position of the last event, and where the range began. */
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

/** `after`, `limit`, the rest; `since` only in `self`, because the cursor carries it on (they exclude each other). */
function linksOf(entries: QueryEntries, limit: number, next: string | null): LogLink[] {
  const rest = entries.filter(([name]) => name !== 'after' && name !== 'limit');
  const limitEntry = ['limit', String(limit)] as const;
  const self: LogLink = { rel: 'self', query: [...entries.filter(([name]) => name === 'after'), limitEntry, ...rest] };
  if (next === null) return [self];
  const carried = rest.filter(([name]) => name !== 'since');
  return [self, { rel: 'next', query: [['after', next], limitEntry, ...carried] }];
}

/**
 * One page of the System Log (specification 4.4). `entries` is the decoded query. Errors: those of `readLogQuery`; a
 * cursor of another query; E0000009 after 30 s; 503 when the database can't serve.
 */
export async function readLogPage(reader: LogReader, context: Context, entries: QueryEntries): Promise<LogPage> {
  const query = readLogQuery(entries, context.now);
  const scope: CursorScope = {
    orgId: context.orgId,
    list: 'listLogEvents',
    query: query.cursorScope,
    direction: 'after',
  };
  try {
    const page = await (query.form === 'polling' ? pollingPage : boundedPage)(reader, context, query, scope);
    const next = page.next === null ? null : reader.cursors.encode(scope, page.next);
    return { bodies: page.bodies, links: linksOf(entries, query.limit, next) };
  } catch (error) {
    if (failureCode(error) === QUERY_CANCELED) throw apiError('E0000009', { summary: TOO_SLOW });
    throw isUnavailable(error) ? unavailable() : error;
  }
}
