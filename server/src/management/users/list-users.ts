import { type CheckedExpression, readFilter } from '../../filter/index.ts';
import type { Context } from '../../kernel/context.ts';
import { apiError, invalid } from '../../kernel/errors.ts';
import { valueKey } from '../../kernel/text.ts';
import type { Grant, PageLink } from '../../platform/http/index.ts';
import { pageLinks } from '../../platform/http/index.ts';
import { ATTRIBUTE_IDS } from './attribute-values.ts';
import type { UsersPorts } from './ports.ts';
import { attributeIdOf, FILTER_FIELDS, SEARCH_FIELDS } from './search-fields.ts';
import { startingWith } from './search-plan.ts';
import { findByPrefix, type PageRequest, type Place, type Scope, type WalkedUser } from './search-store.ts';
import { chooseWalk, takeWalk, type Walk } from './search-walk.ts';
import type { UserRow } from './user-row.ts';

export interface ListUsersQuery {
  readonly q: string | undefined;
  readonly filter: string | undefined;
  readonly search: string | undefined;
  readonly sortBy: string | undefined;
  readonly sortOrder: string | undefined;
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
}

type RawQuery = readonly (readonly [name: string, value: string])[];

export interface UserPage {
  readonly users: readonly UserRow[];
  readonly links: readonly PageLink[];
}

interface CursorPayload extends Place {
  readonly walk: Walk;
}

const LIST = 'listUsers';
/** `q` answers the first few and has no pages (contract section 4.1). */
const DEFAULT_Q_LIMIT = 10;
const Q_ATTRIBUTES = ['profile.firstName', 'profile.lastName', 'profile.email'] as const;

function assertCombination(query: ListUsersQuery): void {
  const given = [query.q, query.filter, query.search].filter((text) => text !== undefined);
  if (given.length > 1) throw apiError('E0000033');
  if (query.after !== undefined && query.before !== undefined) {
    throw invalid('before', "'before': must not be combined with 'after'.");
  }
}

function readExpression(query: ListUsersQuery): CheckedExpression | null {
  if (query.search !== undefined) return readFilter(query.search, SEARCH_FIELDS);
  if (query.filter !== undefined) return readFilter(query.filter, FILTER_FIELDS);
  return null;
}

/** `sortBy` belongs to `search`; elsewhere it is left aside, as is a `sortOrder` without it. */
function readSortBy(query: ListUsersQuery): string | null {
  if (query.sortBy === undefined || query.q !== undefined || query.filter !== undefined) return null;
  if (query.sortBy !== 'id' && attributeIdOf(query.sortBy) === null) {
    throw invalid('sortBy', `'sortBy': ${query.sortBy} cannot be sorted by.`);
  }
  return query.sortBy;
}

function readCursor(ports: UsersPorts, context: Context, query: ListUsersQuery, raw: RawQuery): CursorPayload | null {
  const direction = query.before === undefined ? 'after' : 'before';
  const text = query.before ?? query.after;
  if (text === undefined) return null;
  const scope = { orgId: context.orgId, list: LIST, query: raw, direction } as const;
  return ports.cursors.decode(scope, text) as CursorPayload;
}

async function findByQ(ports: UsersPorts, scope: Scope, query: ListUsersQuery, raw: RawQuery): Promise<UserPage> {
  const prefix = valueKey(query.q ?? '').trim();
  const limit = raw.some(([name]) => name === 'limit') ? query.limit : DEFAULT_Q_LIMIT;
  const ranges = Q_ATTRIBUTES.map((name) => startingWith(ATTRIBUTE_IDS[name], prefix));
  const users = await findByPrefix(ports.db, scope, ranges, limit);
  return { users, links: pageLinks({ query: raw, limit, next: null, previous: null }) };
}

/**
 * One page of the org's users: all, by `q` (starts with), by `filter`, or by `search` with `sortBy`. Keyset cursors in
 * both directions; a search sees every write that has committed. 400: E0000033, E0000053, E0000031, E0000001.
 */
export async function listUsers(
  ports: UsersPorts,
  context: Context,
  grant: Grant,
  query: ListUsersQuery,
  raw: RawQuery,
): Promise<UserPage> {
  assertCombination(query);
  const expression = readExpression(query);
  const scope: Scope = { orgId: context.orgId, grant, expression, withDeprovisioned: expression !== null };
  if (query.q !== undefined) return findByQ(ports, scope, query, raw);
  const sortBy = readSortBy(query);
  const cursor = readCursor(ports, context, query, raw);
  const backwards = query.before !== undefined;
  const walk = cursor?.walk ?? (await chooseWalk(ports.db, scope, sortBy));
  const descending = (sortBy !== null && query.sortOrder === 'desc') !== backwards;
  const request: PageRequest = { limit: query.limit + 1, after: cursor, descending, backwards };
  const read = await takeWalk(ports.db, scope, walk, sortBy, request);
  const hasMore = read.length > query.limit;
  const page = backwards ? read.slice(0, query.limit).reverse() : read.slice(0, query.limit);
  const encode = (row: WalkedUser | undefined, direction: 'after' | 'before'): string | null => {
    if (row === undefined) return null;
    const payload: CursorPayload = { walk, key: row.walkKey, id: row.id };
    return ports.cursors.encode({ orgId: context.orgId, list: LIST, query: raw, direction }, payload);
  };
  const hasNext = backwards ? cursor !== null : hasMore;
  const hasPrevious = backwards ? hasMore : cursor !== null;
  return {
    users: page,
    links: pageLinks({
      query: raw,
      limit: query.limit,
      next: hasNext ? encode(page.at(-1), 'after') : null,
      previous: hasPrevious ? encode(page[0], 'before') : null,
    }),
  };
}
