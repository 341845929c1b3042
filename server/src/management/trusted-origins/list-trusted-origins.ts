import { readFilter } from '../../filter/index.ts';
import type { Context } from '../../kernel/context.ts';
import { type CursorCodec, type KeysetPage, keysetPage } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { TRUSTED_ORIGIN_FIELDS } from './filter-fields.ts';
import { readTrustedOrigins, type TrustedOrigin } from './store.ts';

export interface ListTrustedOriginsQuery {
  readonly q: string | undefined;
  readonly filter: string | undefined;
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
}

/**
 * Lists one page of the org's trusted origins, by id. 400 E0000053 or E0000031 for the filter, E0000001 for a cursor.
 */
export async function listTrustedOrigins(
  ports: { db: Db; cursors: CursorCodec },
  context: Context,
  query: ListTrustedOriginsQuery,
  rawQuery: readonly (readonly [string, string])[],
): Promise<KeysetPage<TrustedOrigin>> {
  const { limit, after, before } = query;
  const wanted = {
    q: query.q ?? null,
    filter: query.filter === undefined ? null : readFilter(query.filter, TRUSTED_ORIGIN_FIELDS),
  };
  return keysetPage(
    ports.cursors,
    { orgId: context.orgId, list: 'listTrustedOrigins', limit, after, before, query: rawQuery },
    (origin: TrustedOrigin) => origin.id,
    (request) => readTrustedOrigins(ports.db, context.orgId, wanted, request),
  );
}
