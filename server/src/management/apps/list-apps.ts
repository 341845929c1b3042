import { readFilter } from '../../filter/index.ts';
import type { Context } from '../../kernel/context.ts';
import { invalid } from '../../kernel/errors.ts';
import { type CursorCodec, type KeysetPage, keysetPage } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { APP_FIELDS } from './filter-fields.ts';
import { findInlineKeysOf } from './jwk-store.ts';
import { type App, readApps } from './store.ts';
import type { AppWithKeys } from './wire.ts';

export const MAXIMUM_PAGE_SIZE = 200;
/** What published clients send, or leave out, when they want as many as there are. */
export const WHOLE_PAGE = -1;

export interface ListAppsQuery {
  readonly q: string | undefined;
  readonly filter: string | undefined;
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
}

function pageSize(limit: number): number {
  if (limit === WHOLE_PAGE) return MAXIMUM_PAGE_SIZE;
  if (limit === 0) throw invalid('limit', `'limit': must be between 1 and ${MAXIMUM_PAGE_SIZE}.`);
  return limit;
}

/** One page of the org's apps, by id. 400 E0000053 or E0000031 for the filter, E0000001 for a cursor or the limit. */
export async function listApps(
  ports: { db: Db; cursors: CursorCodec },
  context: Context,
  query: ListAppsQuery,
  rawQuery: readonly (readonly [string, string])[],
): Promise<KeysetPage<AppWithKeys>> {
  const { after, before } = query;
  const { orgId } = context;
  const wanted = {
    q: query.q ?? null,
    filter: query.filter === undefined ? null : readFilter(query.filter, APP_FIELDS),
  };
  const limit = pageSize(query.limit);
  const { rows, links } = await keysetPage(
    ports.cursors,
    { orgId, list: 'listApplications', limit, after, before, query: rawQuery },
    (app: App) => app.id,
    (request) => readApps(ports.db, orgId, wanted, request),
  );
  const keys = await findInlineKeysOf(
    ports.db,
    orgId,
    rows.map(({ id }) => id),
  );
  return { rows: rows.map((app) => ({ app, keys: keys.get(app.id) ?? [] })), links };
}
