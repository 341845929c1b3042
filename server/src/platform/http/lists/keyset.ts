import { ApiError, apiError, invalid } from '../../../kernel/errors/errors.ts';
import type { PageLink } from '../request/answer.ts';
import type { CursorCodec } from './cursors.ts';
import { rowsWithin } from './page-bytes.ts';
import { pageLinks } from './page-links.ts';

export interface KeysetPlace {
  readonly orgId: string;
  /** A name that only this list has in the org, such as its operationId followed by the ids in its path. */
  readonly list: string;
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
  /** The list's own error code for an invalid cursor; E0000001 by default. */
  readonly cursorRefusal?: 'E0000029';
  /** The query as the client sent it. */
  readonly query: readonly (readonly [name: string, value: string])[];
}

/** The rows that a list requests from its store: at most `rows` rows, in order of their distance from `key`. */
export interface KeysetRequest<Key> {
  /** Null means that reading begins at the start of the list. */
  readonly key: Key | null;
  /** Whether to read towards the start of the list. If so, the first row is the one just before `key`. */
  readonly backwards: boolean;
  readonly rows: number;
}

export interface KeysetPage<Row> {
  readonly rows: readonly Row[];
  readonly links: readonly PageLink[];
}

function refusedAs<Found>(code: KeysetPlace['cursorRefusal'], decode: () => Found): Found {
  try {
    return decode();
  } catch (error) {
    throw code !== undefined && error instanceof ApiError ? apiError(code) : error;
  }
}

/**
 * Reads one page of a list with a total order, and builds its links. A page with long rows ends early (page-bytes.ts).
 */
export async function keysetPage<Row, Key>(
  cursors: CursorCodec,
  place: KeysetPlace,
  keyOf: (row: Row) => Key,
  read: (request: KeysetRequest<Key>) => Promise<readonly Row[]>,
): Promise<KeysetPage<Row>> {
  const { orgId, list, limit, query } = place;
  if (place.after !== undefined && place.before !== undefined) {
    throw invalid('before', 'must not be combined with after.');
  }
  const backwards = place.before !== undefined;
  const cursor = place.before ?? place.after;
  const scope = (direction: 'after' | 'before') => ({ orgId, list, query, direction });
  // The MAC of a cursor covers the list, so its payload has the form that `encode` received.
  const decode = (text: string) => cursors.decode(scope(backwards ? 'before' : 'after'), text) as Key;
  const key = cursor === undefined ? null : refusedAs(place.cursorRefusal, () => decode(cursor));
  const found = await read({ key, backwards, rows: limit + 1 });
  const shown = found.slice(0, rowsWithin(found.slice(0, limit)));
  const rows = backwards ? shown.toReversed() : shown;
  const hasMore = found.length > shown.length;
  const hasNext = backwards || hasMore;
  const hasPrevious = backwards ? hasMore : key !== null;
  const encode = (row: Row | undefined, direction: 'after' | 'before'): string | null =>
    row === undefined ? null : cursors.encode(scope(direction), keyOf(row));
  const next = hasNext ? encode(rows.at(-1), 'after') : null;
  const previous = hasPrevious ? encode(rows[0], 'before') : null;
  return { rows, links: pageLinks({ query, limit, next, previous }) };
}
