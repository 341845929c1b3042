import { apiError, invalid } from '../kernel/errors/errors.ts';
import { type CursorCodec, type PageLink, pageLinks, rowsWithin } from '../platform/http/index.ts';
import type { Db } from '../platform/postgres/index.ts';
import { type CarriedScan, carriedScan, scanCarried } from './scan/carried-scan.ts';
import { chooseScan } from './scan/choose-scan.ts';
import { runScan } from './scan/run-scan.ts';
import type { PageRequest, Place, ScannedColumn, SearchScope } from './search-store.ts';
import type { SearchedTable } from './searched-table.ts';

/** The query of a list. `q`, `filter` and `search` exclude each other, and so do `after` and `before`. */
export interface SearchInput {
  readonly q: string | undefined;
  readonly filter: string | undefined;
  readonly search: string | undefined;
  readonly sortBy: string | undefined;
  readonly sortOrder: string | undefined;
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
}

export type RawQuery = readonly (readonly [name: string, value: string])[];

export interface SearchPage<Row> {
  readonly rows: readonly Row[];
  readonly links: readonly PageLink[];
}

interface CursorPayload extends Place {
  readonly scan: CarriedScan;
}

export function assertOneSearch(input: SearchInput): void {
  const given = [input.q, input.filter, input.search].filter((text) => text !== undefined);
  if (given.length > 1) throw apiError('E0000033');
  if (input.after !== undefined && input.before !== undefined) {
    throw invalid('before', 'must not be combined with after.');
  }
}

/** Returns null if `sortBy` is absent, or ignored because of `q` or `filter`. */
export function readSortBy(table: SearchedTable, input: SearchInput): string | null {
  if (input.sortBy === undefined || input.q !== undefined || input.filter !== undefined) return null;
  const attribute = table.attributeOf(input.sortBy);
  if (input.sortBy !== 'id' && (attribute === null || attribute.multiple)) {
    throw invalid('sortBy', `must be an attribute that can be sorted by, not ${input.sortBy}.`);
  }
  return input.sortBy;
}

export interface SearchPlace extends SearchInput {
  readonly list: string;
  readonly raw: RawQuery;
}

export async function searchPage<Row>(
  ports: { readonly db: Db; readonly cursors: CursorCodec },
  scope: SearchScope,
  place: SearchPlace,
): Promise<SearchPage<Row>> {
  const { orgId, table } = scope;
  const { list, limit, raw } = place;
  const cursorScope = (direction: 'after' | 'before') => ({ orgId, list, query: raw, direction });
  const sortBy = readSortBy(table, place);
  const backwards = place.before !== undefined;
  const text = place.before ?? place.after;
  const decoded = text === undefined ? null : ports.cursors.decode(cursorScope(backwards ? 'before' : 'after'), text);
  // The cursor is authenticated for this list, so it has the shape that was passed to `encode`.
  const cursor = decoded as CursorPayload | null;
  const scan = cursor === null ? await chooseScan(ports.db, scope, sortBy) : scanCarried(scope, cursor.scan);
  const carried = cursor?.scan ?? carriedScan(scope, scan);
  const descending = (sortBy !== null && place.sortOrder === 'desc') !== backwards;
  const request: PageRequest = { limit: limit + 1, after: cursor, descending, backwards };
  const read = await runScan<Row>(ports.db, scope, scan, sortBy, request);
  const shown = read.slice(0, rowsWithin(read.slice(0, limit)));
  const hasMore = read.length > shown.length;
  const rows = backwards ? shown.reverse() : shown;
  const encode = (row: ScannedColumn<Row> | undefined, direction: 'after' | 'before'): string | null => {
    if (row === undefined) return null;
    const payload: CursorPayload = { scan: carried, key: row.scanKey, id: row.id };
    return ports.cursors.encode(cursorScope(direction), payload);
  };
  const next = (backwards ? cursor !== null : hasMore) ? encode(rows.at(-1), 'after') : null;
  const previous = (backwards ? hasMore : cursor !== null) ? encode(rows[0], 'before') : null;
  return { rows, links: pageLinks({ query: raw, limit, next, previous }) };
}
